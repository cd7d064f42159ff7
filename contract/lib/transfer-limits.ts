/** The files of one import, which may be shards of one export. */
export const maxImportFiles = 100
