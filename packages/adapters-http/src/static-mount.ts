import type { Access } from '@doska/core/kernel';
import { Router, static as files } from 'express';
import type { HttpMount } from './route.ts';

/** A text that is served instead of a file. `type` is an ending such as `html`. */
export type Page = { readonly type: string; readonly text: string };

/**
 * The files of a folder, and pages that come before them, by their path below `path`. Browsers ask each time whether a file
 * is still the same. Hidden files are not served.
 */
export const staticMount = (
  path: string,
  folder: string,
  access: Access,
  pages: Readonly<Record<string, Page>> = {},
): HttpMount => {
  const router = Router();
  for (const [at, { type, text }] of Object.entries(pages))
    router.get(at, (request, response) => {
      const isFolder = at === '/' && !request.originalUrl.split('?')[0]!.endsWith('/');
      // Without the slash at its end, the links of the page would lead to other places.
      if (isFolder) response.redirect(301, `${path}/`);
      else response.type(type).send(text);
    });
  router.use(files(folder, { cacheControl: false, dotfiles: 'ignore', redirect: true }));
  return { path, access, router };
};
