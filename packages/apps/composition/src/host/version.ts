/** The version of the platform. */
export const VERSION = '0.1.0';
