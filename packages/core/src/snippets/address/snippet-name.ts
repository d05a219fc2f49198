/** A longer name of a section is refused. */
export const NAME_CHARS_MAX = 512;
const NAME = /^[a-z0-9_.]+(?:\/[a-z0-9_.]+)*$/;

/** Why the text is no name of a section. Undefined if it is one. */
export const nameProblem = (name: string): string | undefined => {
  if (name.length > NAME_CHARS_MAX) return `a name has at most ${NAME_CHARS_MAX} characters`;
  if (!NAME.test(name)) return 'a name has small letters, digits, "_", "." and "/" between its segments';
  if (name.split('/').some((segment) => segment === '.' || segment === '..'))
    return '"." and ".." are no segments of a name: clients and proxies remove them from paths';
  return undefined;
};

export const joinName = (parent: string, relative: string): string =>
  parent === '' ? relative : `${parent}/${relative}`;
export const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));

/** First segments of paths that belong to the platform. A section must not begin with one of them. */
export const PLATFORM_SEGMENTS = [
  'api',
  'assets',
  'console',
  'favicon.ico',
  'healthz',
  'livez',
  'metrics',
  'openapi.json',
  'photos',
  'readyz',
  'robots.txt',
  'v1',
  'v2',
] as const;
export const isPlatformSegment = (segment: string): boolean =>
  (PLATFORM_SEGMENTS as readonly string[]).includes(segment);
