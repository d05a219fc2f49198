#!/bin/sh
# Makes types from the OpenAPI document of the running platform, compiles typed-client.ts with them and runs it.
set -eu
DATA=${DOSKA_DATA_DIR:-data}
value() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$DATA/run.json"; }
mkdir -p .cache
FOLDER=$(mktemp -d .cache/typed-client-XXXXXX)
trap 'rm -rf "$FOLDER"' EXIT

cp examples/typed-client.ts "$FOLDER/"
echo '{"type":"module"}' > "$FOLDER/package.json"
node_modules/.bin/openapi-typescript "$(value httpUrl)/openapi.json" --output "$FOLDER/api.ts" > /dev/null 2>&1
node_modules/.bin/tsc --ignoreConfig --strict --skipLibCheck --target es2022 --module nodenext --types node "$FOLDER/typed-client.ts"
node "$FOLDER/typed-client.js" "$(value httpUrl)" "$(value token)"
