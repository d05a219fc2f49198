import type { IncomingHttpHeaders } from 'node:http';
import type { DescField, DescMessage, JsonObject } from '@bufbuild/protobuf';
import { invalidInputOf, type InvalidInput, type Violation } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

/** The fields that headers of HTTP stand for, where a request has them. */
export type HeaderFields = {
  readonly commandId: DescField | undefined;
  readonly expectedVersion: DescField | undefined;
};
export const headerFieldsOf = ({ fields }: DescMessage): HeaderFields => ({
  commandId: fields.find(({ name }) => name === 'command_id'),
  expectedVersion: fields.find(({ name }) => name === 'expected_version'),
});

const put = (json: JsonObject, field: DescField, value: string, header: string): Violation | undefined => {
  const given = json[field.jsonName] ?? json[field.name];
  const said = typeof given === 'number' ? String(given) : given;
  if (given !== undefined && said !== value)
    return { path: field.name, code: 'Contradiction', message: `${header} says something else` };
  if (given === undefined) json[field.jsonName] = value;
  return undefined;
};
const bare = (text: string): string => /^"(.*)"$/.exec(text.trim())?.[1] ?? text.trim();

const matched = (
  json: JsonObject,
  field: DescField | undefined,
  condition: string,
): Violation | undefined => {
  const wrong = (message: string): Violation => ({ path: 'If-Match', code: 'WrongValue', message });
  if (!field) return wrong('this method has no expected version');
  if (condition.trim() === '*') return undefined;
  const version = /^"(\d{1,20})"$/.exec(condition.trim())?.[1];
  return version === undefined
    ? wrong('one ETag of ours is expected')
    : put(json, field, version, 'If-Match');
};

/** `Idempotency-Key` is the command's id, `If-Match` the expected version. True: the answer depends on `If-Match`. */
export const applyConditions = (
  { commandId, expectedVersion }: HeaderFields,
  headers: IncomingHttpHeaders,
  json: JsonObject,
): Result<boolean, InvalidInput> => {
  const key = headers['idempotency-key'];
  const condition = headers['if-match'];
  if (key === undefined && condition === undefined) return ok(false);
  const found = [
    commandId && typeof key === 'string' ? put(json, commandId, bare(key), 'Idempotency-Key') : undefined,
    condition === undefined ? undefined : matched(json, expectedVersion, condition),
  ].filter((one) => one !== undefined);
  return found.length > 0 ? err(invalidInputOf(found)) : ok(condition !== undefined);
};

/** Whether `If-None-Match` names this ETag. */
export const isKnownTag = (condition: string | undefined, tag: string): boolean =>
  condition !== undefined &&
  condition
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === '*' || one === tag);
