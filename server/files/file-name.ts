import { maxFileNameChars } from '@yonder/contract/lib/file-limits'
import { toVisibleLine } from '../lib/text.ts'

/**
 * Returns a name that is safe to show and to save: on one line, without a path, without characters that cannot be seen or
 * turn its direction, and with at most `maxFileNameChars`, of which the extension stays. A file whose name has nothing
 * left is named by its `type`.
 */
export function cleanFileName(name: string, type: string): string {
  const last = toVisibleLine(name).split(/[/\\]/).at(-1)?.replace(/^\.+/, '').trim() ?? ''
  if (last === '') return `file.${type.split(/[/+;]/)[1] ?? 'bin'}`
  if (last.length <= maxFileNameChars) return last
  const extension = /\.[a-z0-9]{1,10}$/i.exec(last)?.[0] ?? ''
  return `${last
    .slice(0, maxFileNameChars - extension.length)
    .toWellFormed()
    .trimEnd()}${extension}`
}
