export { fileBlobStore, type FileBlobStore, type FileBlobStoreOptions } from './file-blob-store.ts';
export { loadCatalogFiles, type CatalogFilesBroken, type FileMistake } from './catalog/load-catalog.ts';
