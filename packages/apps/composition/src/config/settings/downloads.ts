import { z } from 'zod';
import { setting } from '../setting.ts';

/** Limits of downloads from URLs that users give. */
export const downloadSettings = {
  downloadAllow: setting(
    'DOSKA_DOWNLOAD_ALLOW',
    z.string().optional(),
    'Hosts, IP addresses and networks that downloads may use although they are not public, separated by commas.',
  ),
  downloadPorts: setting(
    'DOSKA_DOWNLOAD_PORTS',
    z
      .string()
      .regex(/^\s*\d{1,5}\s*(,\s*\d{1,5}\s*)*$/, 'ports with commas between them')
      .default('80,443,8080,8443'),
    'Ports of public servers that downloads may use.',
  ),
  downloadProxy: setting(
    'DOSKA_DOWNLOAD_PROXY',
    z.url({ protocol: /^http$/ }).optional(),
    'An HTTP proxy with CONNECT for all downloads. The URL may have a user and a password.',
    { secret: true },
  ),
};
