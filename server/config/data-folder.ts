import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { userFolder } from '../../bin/user-folder.mjs'

/** Only a clone has this source file. The path is right from `server/config`, and from the bundle in `server/dist`. */
const isClone = existsSync(fileURLToPath(new URL('../../server/yonder.ts', import.meta.url)))

/** A folder with one of these files has data of Yonder. With PostgreSQL it has only the key. */
const dataFiles = ['yonder.sqlite', 'secret.key']

/**
 * Returns the data folder when `DATA_DIR` is not set: `./data` in a clone, or when the working folder has data there;
 * else a folder of the user, so that the package shows the same data whatever the working folder is.
 */
export function findDataFolder(): string {
  const hasData = dataFiles.some((name) => existsSync(join('data', name)))
  return isClone || hasData ? 'data' : userFolder('data')
}
