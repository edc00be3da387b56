#!/bin/sh
# Says whether a file has the two lines that the skill hello-world asks for.
file=${1:?the file to check}
expected=$(printf '%s\n' 'Hello, world!' 'This file was written as the skill hello-world says.')
if [ "$(cat "$file")" = "$expected" ]; then
    echo "$file has the two lines."
else
    echo "$file does not have these two lines:"
    echo "$expected"
    exit 1
fi
