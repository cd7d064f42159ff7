import { maxFilesPerMessage } from '@yonder/contract/lib/file-limits'
import type { FileRef, MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent, toContent } from '@yonder/contract/message-text'
import { useEffect, useEffectEvent, useState, type ClipboardEvent, type KeyboardEvent } from 'react'
import { useStore } from '../../../lib/store.ts'
import { toast } from '../../../lib/toasts.ts'
import { matchesShortcut } from '../../../ui/shortcut/shortcut.ts'
import { readFiles } from '../../../ui/use-file-drop.ts'
import { isLocal, refOfFile, type UploadStates } from './upload-state.ts'
import { useUploads, type Uploads } from './uploads.ts'

/** A longer text that is pasted becomes a file. */
const maxPastedChars = 4000

/** A pasted text that became a file, and where it would have stood. */
export interface PastedText {
  /** The name of the file. */
  readonly name: string
  readonly text: string
  readonly start: number
  readonly end: number
  /** The text of the input at that time, in which the place is right. */
  readonly around: string
}

export interface Attachments {
  readonly draftKey: string
  readonly files: readonly FileRef[]
  readonly states: UploadStates
  readonly uploads: Uploads
  /** The number of files that are not stored and have not failed. */
  readonly uploading: number
  /** The files that could not be stored. */
  readonly failed: readonly FileRef[]
  readonly add: (files: Iterable<File>) => void
  readonly remove: (id: string) => void
  /** Changes the name or the description of a file. */
  readonly change: (file: FileRef) => void
  /** The last long text that was pasted, while its file is attached. */
  readonly pasted: PastedText | undefined
  /** Puts that text into the message instead. */
  readonly unpaste: () => void
  /** For the text area. */
  readonly events: {
    readonly onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void
    readonly onKeyDownCapture: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  }
}

/** The files of a message that is being written; `content` and `setContent` are those of its draft. */
export function useAttachments(
  draftKey: string,
  content: MessageContent,
  setContent: (content: MessageContent) => void,
  area: { readonly current: HTMLTextAreaElement | null },
): Attachments {
  const uploads = useUploads()
  const states = useStore(uploads.states)
  const [lastPasted, setPasted] = useState<PastedText>()
  const files = filesOfContent(content)
  const text = textOfContent(content)
  const setFiles = (next: readonly FileRef[]) => setContent(toContent(text, next))
  const failed = files.filter(({ id }) => states.get(id)?.phase === 'failed')
  const pasted = files.some(({ name }) => name === lastPasted?.name) ? lastPasted : undefined

  // The page may have been reloaded, or a draft may be from another tab.
  const lost = files.filter((file) => isLocal(file) && !states.has(file.id)).map(({ id }) => id)
  const resume = useEffectEvent((ids: readonly string[]) => {
    for (const file of files) if (ids.includes(file.id)) uploads.resume(draftKey, file)
  })
  const lostIds = lost.join()
  useEffect(() => resume(lostIds.split(',')), [lostIds])

  const add = (chosen: Iterable<File>) => {
    const all = [...chosen]
    const accepted = all.slice(0, Math.max(0, maxFilesPerMessage - files.length))
    const more = all.length - accepted.length
    if (more > 0)
      toast.error(
        `A message can have ${maxFilesPerMessage} files. ${more === 1 ? 'One was' : `${more} were`} not attached.`,
      )
    const refs = accepted.map((file) => ({ file, ref: refOfFile(file) }))
    // The draft first: an upload is dropped when no draft contains its file.
    setFiles([...files, ...refs.map(({ ref }) => ref)])
    for (const { file, ref } of refs) uploads.add(draftKey, ref, file)
  }
  const remove = (id: string) => {
    setFiles(files.filter((file) => file.id !== id))
    if (isLocal({ id })) uploads.cancel(id)
  }
  const unpaste = () => {
    const element = area.current
    const file = files.findLast(({ name }) => name === pasted?.name)
    if (pasted === undefined || file === undefined || element === null) return
    setPasted(undefined)
    const isSame = element.value === pasted.around
    const [start, end] = isSame ? [pasted.start, pasted.end] : [element.value.length, element.value.length]
    const next = element.value.slice(0, start) + pasted.text + element.value.slice(end)
    setContent(
      toContent(
        next,
        files.filter(({ id }) => id !== file.id),
      ),
    )
    if (isLocal(file)) uploads.cancel(file.id)
    // The caret stands after the text once it is drawn.
    requestAnimationFrame(() => {
      element.focus()
      element.setSelectionRange(start + pasted.text.length, start + pasted.text.length)
    })
  }

  const handlePaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { clipboardData, currentTarget } = event
    // A message that is being sent, or waits for its files, cannot be changed.
    if (currentTarget.readOnly) return
    const chosen = readFiles(clipboardData)
    const plain = clipboardData.getData('text/plain')
    // Office programs add a picture of the text that was copied.
    const isText = plain.trim() !== '' && clipboardData.types.includes('text/html')
    if (chosen.length > 0 && !isText) {
      event.preventDefault()
      add(nameClipboard(chosen, files))
      return
    }
    if (plain.length <= maxPastedChars || files.length >= maxFilesPerMessage) return
    event.preventDefault()
    const { selectionStart: start, selectionEnd: end, value: around } = currentTarget
    const name = nameOfPasted('Pasted text', '.txt', files)
    add([new File([plain], name, { type: 'text/plain' })])
    setPasted({ name, text: plain, start, end, around })
  }
  return {
    draftKey,
    files,
    states,
    uploads,
    uploading: files.filter((file) => isLocal(file)).length - failed.length,
    failed,
    add,
    remove,
    change: (changed) => setFiles(files.map((file) => (file.id === changed.id ? changed : file))),
    pasted,
    unpaste,
    events: {
      onPaste: handlePaste,
      onKeyDownCapture: (event) => {
        const { readOnly, value } = event.currentTarget
        if (readOnly || value !== pasted?.around || !matchesShortcut(event, 'mod+z')) return
        event.preventDefault()
        unpaste()
      },
    },
  }
}

/** Browsers call every picture from the clipboard `image.png`. */
function nameClipboard(chosen: readonly File[], attached: readonly FileRef[]): readonly File[] {
  const named: File[] = []
  for (const file of chosen) {
    const name = nameOfPasted('Pasted picture', '.png', [...attached, ...named])
    named.push(file.name === 'image.png' ? new File([file], name, { type: file.type }) : file)
  }
  return named
}

/**
 * Names what was pasted unlike the other files of the message, of which the error of a refused file names one. Their
 * endings do not count: a picture may become a JPEG.
 */
function nameOfPasted(what: string, ending: string, others: readonly { readonly name: string }[]): string {
  const isTaken = (stem: string) => others.some(({ name }) => name.replace(/\.[^.]*$/, '') === stem)
  for (let number = 1; ; number += 1) {
    const stem = number === 1 ? what : `${what} ${number}`
    if (!isTaken(stem)) return `${stem}${ending}`
  }
}
