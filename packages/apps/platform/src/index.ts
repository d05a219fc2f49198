export { apps } from './apps.ts';
