export { fileBlobStore, type FileBlobStore, type FileBlobStoreOptions } from './file-blob-store.ts';
