"""Small tools that every part uses: checks of arguments, quoting, registries, files, memory, signals, errors."""
