# see docs
