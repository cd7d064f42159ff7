import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { minifySync, type Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|txt|webmanifest)$/
/** Smaller files are not compressed, since that would save too little. */
const minCompressedBytes = 256

/**
 * Minifies the scripts of `public`, which Vite only copies and the first page waits for. Writes a `.br` and a `.gz` copy
 * of each larger text file of the build, so that the server need not compress it.
 */
export function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return
      const files = await readdir(dir, { recursive: true })
      const scripts = files.filter((file) => /^\w+\.js$/.test(file))
      await Promise.all(scripts.map((file) => minifyFile(join(dir, file))))
      await Promise.all(
        files.filter((file) => compressible.test(file)).map((file) => compressFile(join(dir, file))),
      )
    },
  }
}

async function minifyFile(path: string): Promise<void> {
  const source = await readFile(path, 'utf8')
  await writeFile(path, minifySync(path, source).code)
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < minCompressedBytes) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await Promise.all([
    promisify(brotliCompress)(content, { params }).then((packed) => writeFile(`${path}.br`, packed)),
    promisify(gzip)(content, { level: 9 }).then((packed) => writeFile(`${path}.gz`, packed)),
  ])
}
