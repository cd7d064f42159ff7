import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { File, FileCode, FileSpreadsheet, FileText, Image, Music, Presentation } from 'lucide-react'

/** The icon of the kind of a file. */
export function FileIcon({ type, name }: Pick<FileRef, 'type' | 'name'>) {
  const Icon = icons[kindOf(type, name)]
  return <Icon size={20} aria-hidden className="shrink-0 text-muted" />
}

const icons = {
  picture: Image,
  sound: Music,
  table: FileSpreadsheet,
  slides: Presentation,
  code: FileCode,
  text: FileText,
  other: File,
} as const

function kindOf(type: string, name: string): keyof typeof icons {
  if (isPicture(type)) return 'picture'
  if (type.startsWith('audio/')) return 'sound'
  if (/spreadsheet|csv/.test(type)) return 'table'
  if (type.includes('presentation')) return 'slides'
  if (codeNames.test(name)) return 'code'
  return /^text\/|pdf|word/.test(type) ? 'text' : 'other'
}

const codeNames =
  /\.(?:c|cpp|cs|css|go|h|html|java|js|json|jsx|kt|php|py|rb|rs|sh|sql|swift|toml|ts|tsx|xml|ya?ml)$/i
