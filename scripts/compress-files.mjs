import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressible = /\.(html|js|css|svg|json|txt|webmanifest)$/

/** Smaller files fit into one packet anyway. */
const smallest = 1024

/**
 * Writes `.br` and `.gz` beside every text file of a folder, so that the server sends them as they are.
 *
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    compressible.test(path),
  )
  await Promise.all(
    paths.map(async (path) => {
      const content = await readFile(join(folder, path))
      if (content.length < smallest) return
      const [small, smaller] = await Promise.all([
        promisify(gzip)(content, { level: 9 }),
        promisify(brotliCompress)(content, {
          params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        }),
      ])
      await Promise.all([
        writeFile(join(folder, `${path}.gz`), small),
        writeFile(join(folder, `${path}.br`), smaller),
      ])
    }),
  )
}
