import type { Template } from './template.ts';

type Node<Route> = {
  readonly words: Map<string, Node<Route>>;
  variable?: Node<Route>;
  /** By the custom verb (empty for none), then by the method of HTTP. */
  readonly ends: Map<string, Map<string, Route>>;
};
export type Match<Route> =
  | { readonly kind: 'found'; readonly route: Route; readonly values: readonly string[] }
  /** The path is known, but not with this method. */
  | { readonly kind: 'otherMethod'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown' };

export type Routable = { readonly verb: string; readonly template: Template };
export type Router<Route> = (method: string, path: string) => Match<Route>;

const newNode = <Route>(): Node<Route> => ({ words: new Map(), ends: new Map() });
const UNKNOWN = { kind: 'unknown' } as const;

/** Undefined where the text is not an encoded one. */
const decoded = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Finds the route of a path by its segments. `HEAD` is `GET`. An empty segment is no value. */
export const makeRouter = <Route extends Routable>(routes: readonly Route[]): Router<Route> => {
  const root = newNode<Route>();
  for (const route of routes) {
    let node = root;
    for (const segment of route.template.segments) {
      if ('variable' in segment) node = node.variable ??= newNode<Route>();
      else {
        const next = node.words.get(segment.literal) ?? newNode<Route>();
        node.words.set(segment.literal, next);
        node = next;
      }
    }
    const verb = route.template.verb ?? '';
    const byMethod = node.ends.get(verb) ?? new Map<string, Route>();
    node.ends.set(verb, byMethod.set(route.verb, route));
  }

  type Found = { readonly byMethod: Map<string, Route>; readonly values: readonly string[] };
  const last = (
    node: Node<Route>,
    text: string,
    verb: string,
    values: readonly string[],
  ): Found | undefined => {
    const word = node.words.get(text)?.ends.get(verb);
    if (word) return { byMethod: word, values };
    const value = text === '' ? undefined : decoded(text);
    const byMethod = value === undefined ? undefined : node.variable?.ends.get(verb);
    return byMethod && { byMethod, values: [...values, value!] };
  };
  const walk = (
    node: Node<Route>,
    parts: readonly string[],
    at: number,
    values: readonly string[],
  ): Found | undefined => {
    const part = parts[at]!;
    if (at === parts.length - 1) {
      const colon = part.lastIndexOf(':');
      const named = colon < 0 ? undefined : last(node, part.slice(0, colon), part.slice(colon + 1), values);
      return named ?? last(node, part, '', values);
    }
    const word = node.words.get(part);
    const found = word && walk(word, parts, at + 1, values);
    if (found || !node.variable || part === '') return found;
    const value = decoded(part);
    return value === undefined ? undefined : walk(node.variable, parts, at + 1, [...values, value]);
  };

  return (method, path) => {
    const found = walk(root, path.slice(1).split('/'), 0, []);
    if (!found) return UNKNOWN;
    const route = found.byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (route) return { kind: 'found', route, values: found.values };
    const allowed = [...found.byMethod.keys()];
    return { kind: 'otherMethod', allowed: allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed };
  };
};
