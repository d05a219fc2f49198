#!/bin/sh
# The first offer with curl alone: a visitor writes a draft, logs in, publishes it, hides it and reads its history.
# The platform runs (`npm start`) on ./data. Its token is a service's: it speaks for any seller.
set -eu
DATA=${DOSKA_DATA_DIR:-data}
value() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "${2:--}" | head -n 1; }
API=$(value httpUrl "$DATA/run.json")
SERVICE=$(value token "$DATA/run.json")
call() { # METHOD PATH TOKEN BODY
  curl -sS --fail-with-body -X "$1" "$API$2" -H "Authorization: Bearer $3" -H 'Content-Type: application/json' -d "$4"
}

VISITOR=$(curl -sS -X POST "$API/v1/anonymous-sessions" | value token)
DRAFT=$(call POST /v1/drafts:current "$VISITOR" '{"categoryId":"rodents"}' | value id)
call PUT "/v1/drafts/$DRAFT" "$VISITOR" '{
  "categoryId": "rodents",
  "text": {
    "title": "Хомяк с клеткой",
    "price": {"minorUnits": "50000", "currency": "RUB"},
    "place": {"address": "Казань, метро Площадь Тукая"},
    "contacts": {"phone": "+7 900 000-00-00"}
  }
}' > /dev/null

# Now the visitor has logged in as Ann, and the draft becomes hers.
DRAFT=$(call POST /v1/drafts:current "$SERVICE" \
  "{\"owner\":{\"userId\":\"ann\",\"anonymousToken\":\"$VISITOR\"}}" | value id)
OFFER=$(call POST "/v1/drafts/$DRAFT:publish" "$SERVICE" '{"sellerId":"ann"}' | value offerId)
echo "published $OFFER"
STATUS=$(call POST "/v1/offers/$OFFER:hide" "$SERVICE" '{"commandId":"hide-it"}' | value status)
echo "now it is $STATUS"
curl -sS "$API/v1/offers/$OFFER/history" -H "Authorization: Bearer $SERVICE" |
  grep -o '"sentence":"[^"]*"' | cut -d '"' -f 4
