import type { Access } from '@doska/core/kernel';
import { Router, static as files } from 'express';
import type { HttpMount } from './route.ts';

/** The files of a folder. Browsers ask each time whether a file is still the same. Hidden files are not served. */
export const staticMount = (path: string, folder: string, access: Access): HttpMount => ({
  path,
  access,
  router: Router().use(files(folder, { cacheControl: false, dotfiles: 'ignore', redirect: true })),
});
