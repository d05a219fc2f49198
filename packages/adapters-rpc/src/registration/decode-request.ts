import { InvalidUtf8, utf8Text } from '@doska/adapters-proto';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { RequestReader } from './request-reader.ts';
import type { MessageType } from './service-definition.ts';

const notAMessage = invalidInput({
  path: '',
  code: 'NotAMessage',
  message: 'the bytes are not a message of this type',
});

/** Stands for a text that is not UTF-8 while the field that has it is searched for. */
const MARK = '\u0000not utf-8';
const marking = (bytes: Uint8Array): string => {
  try {
    return utf8Text(bytes);
  } catch {
    return MARK;
  }
};
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** The path of the first marked text. The two keys of a `oneof` are not a part of it. */
const markedPath = (value: unknown, path: string): string | undefined => {
  if (value === MARK) return path;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : `${path === '' ? '' : '.'}${snakeCase(key)}`;
    const found = markedPath(inner, '$case' in value && key === 'value' ? path : `${path}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
};
const invalidText = <T>(type: MessageType<T>, bytes: Uint8Array): InvalidInput => {
  const path = markedPath(type.decode(new RequestReader(bytes, marking)), '') ?? '';
  return invalidInput({ path, code: 'InvalidUtf8', message: 'the text is not UTF-8' });
};

/** The request of a client: a message whose texts are all UTF-8. */
export const decodeRequest = <T>(type: MessageType<T>, bytes: Uint8Array): Result<T, InvalidInput> => {
  try {
    return ok(type.decode(new RequestReader(bytes, utf8Text)));
  } catch (cause) {
    try {
      return err(cause instanceof InvalidUtf8 ? invalidText(type, bytes) : notAMessage);
    } catch {
      return err(notAMessage);
    }
  }
};
