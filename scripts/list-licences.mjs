import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const licenceFile = /^(licen[cs]e|copying|notice)/i

/**
 * Adds `THIRD-PARTY.md` to a bundle: every package that is in it, with the texts of its licence. Vite does the same for
 * the web app (`build.license`).
 *
 * @type {import('rolldown').Plugin}
 */
export const listLicences = {
  name: 'list-licences',
  generateBundle(_options, bundle) {
    const folders = Object.values(bundle)
      .flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      // The id of a virtual module begins with this character.
      .filter((id) => !id.startsWith('\0'))
      .map((id) => /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
    const entries = [...new Set(folders)].flatMap((folder) =>
      folder === undefined ? [] : [describePackage(folder)],
    )
    const source = `# Licences\n\nThe server contains these packages.\n${[...new Set(entries)].toSorted().join('')}`
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.md', source })
  },
}

/** @param {string} folder */
function describePackage(folder) {
  const { name, version, license, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map((entry) => `\n${readFileSync(join(folder, entry.name), 'utf8').trim()}\n`)
  const text = texts.join('') || `\nThe package has no text of its licence; see ${homepage ?? name}.\n`
  return `\n## ${name} ${version} (${license})\n${text}`
}
