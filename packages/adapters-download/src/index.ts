export { allowedPlaces, nowhere, type AllowedPlaces } from './address/allowed-places.ts';
export { isPublicAddress } from './address/public-address.ts';
export { systemResolve, type Resolve } from './address/target.ts';
export { DEMO_PICTURES, demoPictureUrl, withDemoPictures } from './demo-pictures.ts';
export { guardedDownloader, type GuardedDownloaderOptions } from './guarded-downloader.ts';
