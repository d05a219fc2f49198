export { blobDigest } from './blob-digest.ts';
export { fileBlobStore, type FileBlobStore, type FileBlobStoreOptions } from './file-blob-store.ts';
export { loadCatalogFiles, type CatalogFilesBroken, type FileMistake } from './catalog/load-catalog.ts';
export { fileGeocoder, PLACES_FILE, type PlacesBroken } from './places/file-geocoder.ts';
export { fileSpool } from './file-spool.ts';
export { folderTableSource, readTableFile, type FolderTablesOptions } from './tables/folder-table-source.ts';
