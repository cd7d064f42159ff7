import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A path of the repository in code marks. `NNNN` stands for a number that a reader fills in. */
const mention = /`((?:contract|server|web|e2e|bench|scripts|docs)\/[\w./-]*)`/g

/**
 * Every path that a document names exists, so that a move cannot leave a document behind.
 *
 * @param {string} root
 * @returns {string[]} a sentence for each problem
 */
export function checkDocPaths(root) {
  return listDocuments(root).flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(mention)].flatMap(([, path = '']) =>
      // What is built is not there on a fresh clone.
      /NNNN|\/dist(\/|$)/.test(path) || existsSync(join(root, path))
        ? []
        : [`${document}: ${path} does not exist`],
    ),
  )
}

/** @param {string} root */
function listDocuments(root) {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  return [...readdirSync(root), ...inDocs.map((path) => `docs/${path}`)].filter((path) =>
    path.endsWith('.md'),
  )
}
