/**
 * The release of better-sqlite3 for this version of Node, and the name under which it is installed. Release 13 needs
 * Node-API 10, and with release 12 the garbage collector of Node 24.19 crashes the process.
 */
export const sqliteRelease =
  Number(process.versions.napi) >= 10
    ? { name: 'better-sqlite3', version: '13.0.3' }
    : { name: 'better-sqlite3-12', version: '12.11.1' }
