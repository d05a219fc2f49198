/**
 * One version byte before the message. 1 to 7 can't start a protobuf message (they would be field number 0), so bytes
 * that lack it are never mistaken for ours.
 */
export const versioned = (version: number, body: Uint8Array): Uint8Array => {
  // From Node's pool: an array of its own costs more than what is written into it.
  const bytes = Buffer.allocUnsafe(body.length + 1);
  bytes[0] = version;
  bytes.set(body, 1);
  return bytes;
};

/** Undefined when the bytes are not of this version. */
export const withoutVersion = (version: number, bytes: Uint8Array): Uint8Array | undefined =>
  bytes[0] === version ? bytes.subarray(1) : undefined;
