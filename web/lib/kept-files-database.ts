/** The database of `files/kept-files.ts`, whose code is loaded when a file is attached. */
export const keptFilesDatabase = 'yonder_files'
