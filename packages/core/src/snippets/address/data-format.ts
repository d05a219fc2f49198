/** The formats of contents. `raw` is any bytes. */
export const DATA_FORMATS = ['json', 'pb', 'raw'] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

const BY_TYPE: Readonly<Record<string, DataFormat>> = {
  json: 'json',
  'application/json': 'json',
  'text/json': 'json',
  pb: 'pb',
  'application/x-protobuf': 'pb',
  'application/protobuf': 'pb',
  raw: 'raw',
  'application/octet-stream': 'raw',
  'text/plain': 'raw',
};

/** The content types that name a format, the shortest first. */
export const contentTypesOf = (format: DataFormat): readonly string[] =>
  Object.keys(BY_TYPE).filter((type) => BY_TYPE[type] === format);

/**
 * The format that a `Content-Type` names, among those that are accepted. A header is needed where json or pb is accepted,
 * or several formats are. Where only `raw` is, every other type is `raw` too.
 */
export const formatOfType = (
  contentType: string | undefined,
  accepted: readonly DataFormat[],
): DataFormat | undefined => {
  const onlyRaw = accepted.length === 1 && accepted[0] === 'raw';
  const type = contentType?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  const named = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  if (named === undefined) return onlyRaw ? 'raw' : undefined;
  return accepted.includes(named) ? named : undefined;
};
