import type { FileRef } from '@yonder/contract/message'
import { cleanFileName } from '../../files/file-name.ts'
import type { FileSource, ImportedFile } from '../imported-chat.ts'

export interface FoundFile {
  readonly id: string
  readonly name: string | null
  readonly type?: string | null
  /** Whether it is a picture of a type that is not known. */
  readonly isPicture?: boolean
  readonly size?: number
  readonly width?: number
  readonly height?: number
  readonly source: FileSource | null
}

/** Media types by the ends of names, for exports that do not say the type. Whoever reads the bytes looks at these. */
const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
}

/** The files that the messages of a chat name, each once. */
export class ChatFiles {
  readonly #files = new Map<string, ImportedFile>()

  /** Returns the reference for the message that has the file. */
  add({ id, name, type, isPicture = false, size = 0, width, height, source }: FoundFile): FileRef {
    const extension = /\.([a-z0-9]+)$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
    const knownType = type ?? types[extension] ?? (isPicture ? 'image/png' : 'application/octet-stream')
    const cleanName = cleanFileName(name ?? (knownType === 'application/octet-stream' ? id : ''), knownType)
    const former = this.#files.get(id)
    if (former === undefined || former.source === null) this.#files.set(id, { id, name: cleanName, source })
    return {
      id,
      name: cleanName,
      type: knownType,
      size,
      ...(width !== undefined && width > 0 && { width }),
      ...(height !== undefined && height > 0 && { height }),
    }
  }

  /** Adds a text that the chat itself has in place of the file from which it was read. */
  addText(id: string, name: string | null, text: string): FileRef {
    return this.add({
      id,
      name: toTextName(name),
      type: 'text/plain',
      size: Buffer.byteLength(text),
      source: { text },
    })
  }

  get list(): readonly ImportedFile[] {
    return [...this.#files.values()]
  }
}

/** The text of a PDF is no PDF. */
function toTextName(name: string | null): string {
  if (name === null) return 'pasted.txt'
  return /\.(pdf|docx?|xlsx?|pptx?|odt|ods|odp|epub|rtf|png|jpe?g|gif|webp)$/i.test(name)
    ? `${name}.txt`
    : name
}
