import { z } from 'zod';
import { setting } from '../setting.ts';

/** From where content of strangers may come. */
export const downloadSettings = {
  downloadAllow: setting(
    'DOSKA_DOWNLOAD_ALLOW',
    z.string().optional(),
    'Hosts, addresses and networks that may be downloaded from although they are not public, with commas between them.',
  ),
  downloadPorts: setting(
    'DOSKA_DOWNLOAD_PORTS',
    z
      .string()
      .regex(/^\s*\d{1,5}\s*(,\s*\d{1,5}\s*)*$/, 'ports with commas between them')
      .default('80,443,8080,8443'),
    'The ports of public servers that may be downloaded from.',
  ),
  downloadProxy: setting(
    'DOSKA_DOWNLOAD_PROXY',
    z.url({ protocol: /^http$/ }).optional(),
    'An HTTP proxy that allows CONNECT, for all downloads; a user and password may stand in it.',
    { secret: true },
  ),
};
