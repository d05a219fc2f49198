import { EditOfferRequest } from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { expect, test } from 'vitest';
import { decodeRequest } from './decode-request.ts';

const request = EditOfferRequest.fromPartial({
  offerId: 'x',
  text: {
    title: 'Хомяк',
    attributes: [{ attributeId: 'a', values: [{ value: { $case: 'text', value: 'ZZZZ' } }] }],
  },
});
/** The same request with one byte of a text that no UTF-8 has. */
const broken = (text: string): Uint8Array => {
  const bytes = Buffer.from(EditOfferRequest.encode(request).finish());
  bytes[bytes.indexOf(text)] = 0xff;
  return bytes;
};

test('[X6] a request with valid texts is read', () => {
  expect(decodeRequest(EditOfferRequest, EditOfferRequest.encode(request).finish())._unsafeUnwrap()).toEqual(
    request,
  );
});
test.each([
  ['Хомяк', 'text.title'],
  ['ZZZZ', 'text.attributes[0].values[0].value'],
])('[X6] a text that is not UTF-8 is refused with its field: %s', (text, path) => {
  expect(decodeRequest(EditOfferRequest, broken(text))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path, code: 'InvalidUtf8' }],
  });
});
test('[X5] bytes that are no message are refused', () => {
  expect(decodeRequest(EditOfferRequest, Uint8Array.of(255, 255))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ code: 'NotAMessage' }],
  });
});
