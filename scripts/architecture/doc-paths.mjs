import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A path of the repository in code marks. */
const wholePath = /^(?:contract|server|web|e2e|bench|bin|conformance|deploy|scripts|docs)\/[\w./-]*$/

/** The name of a file without its folder. */
const fileName = /^[\w-][\w.-]*\.(?:ts|tsx|mjs|css|js|txt)$/

/**
 * Every path that a document names in code marks exists, so that a move cannot leave a document behind. In the row of a
 * table, a file without a folder is in the folder of the path before it.
 *
 * @param {string} root
 * @returns {string[]} a sentence for each problem
 */
export function checkDocPaths(root) {
  return listDocuments(root).flatMap((document) =>
    readFileSync(join(root, document), 'utf8')
      .split('\n')
      .flatMap((line) => listPaths(line))
      // `NNNN` stands for a number that the reader fills in. A fresh clone has no built files.
      .filter((path) => !/NNNN|\/dist(\/|$)/.test(path) && !existsSync(join(root, path)))
      .map((path) => `${document}: ${path} does not exist`),
  )
}

/**
 * Every link of a document to a file of the repository, or to a heading, leads there.
 *
 * @param {string} root
 * @returns {string[]} a sentence for each problem
 */
export function checkDocLinks(root) {
  return listDocuments(root).flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = '', heading]) => {
        const target = join(root, path === '' ? document : join(dirname(document), path))
        return !existsSync(target) || (heading !== undefined && !listHeadings(target).includes(heading))
      })
      .map(([link]) => `${document}: the link ${link.slice(1)} leads nowhere`),
  )
}

/** Files that npm packs without being told. */
const alwaysPacked = ['package.json', 'README.md', 'LICENSE']

/**
 * Every link of a packed document to a file leads to a packed one, and every address of a file of the repository in the
 * code leads to a file.
 *
 * @param {string} root
 * @param {readonly import('./read-sources.mjs').Source[]} sources
 * @returns {string[]} a sentence for each problem
 */
export function checkPackedLinks(root, sources) {
  const { files, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const isPacked = (/** @type {string} */ path) =>
    [...alwaysPacked, ...files].some((entry) => path === entry || path.startsWith(`${entry}/`))
  const fromDocuments = listDocuments(root)
    .filter(isPacked)
    .flatMap((document) =>
      listTargets(readFileSync(join(root, document), 'utf8'))
        .map((path) => join(dirname(document), path))
        .filter((path) => !existsSync(join(root, path)) || !isPacked(path))
        .map((path) => `${document} is packed, and leads to ${path}, which is not`),
    )
  const fromCode = sources.flatMap(({ path, code }) =>
    [...code.matchAll(/https:\/\/github\.com\/([\w-]+\/[\w-]+)\/blob\/main\/([\w./-]+)/g)]
      .filter(([address, , file = '']) => address.startsWith(homepage) && !existsSync(join(root, file)))
      .map(([address]) => `${path}: ${address} leads nowhere`),
  )
  return [...fromDocuments, ...fromCode]
}

/**
 * Returns the files that links and pictures of a document name.
 *
 * @param {string} text
 */
function listTargets(text) {
  return [...text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((target) => !/^(?:https?:|mailto:|#)/.test(target))
    .map((target) => target.split('#')[0] ?? '')
}

/**
 * Returns the headings of a document as GitHub writes them in addresses.
 *
 * @param {string} path
 */
function listHeadings(path) {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** @param {string} line */
function listPaths(line) {
  let folder = ''
  return [...line.matchAll(/`([^`]+)`/g)].flatMap(([, mention = '']) => {
    if (wholePath.test(mention)) {
      folder = mention.endsWith('/') ? mention : `${dirname(mention)}/`
      return [mention]
    }
    return line.startsWith('|') && folder !== '' && fileName.test(mention) ? [folder + mention] : []
  })
}

/** @param {string} root */
function listDocuments(root) {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  return [...readdirSync(root), ...inDocs.map((path) => `docs/${path}`)].filter((path) =>
    path.endsWith('.md'),
  )
}
