import { useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../lib/toasts.ts'
import { dialogStack } from './dialog/dialog-layer.ts'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/**
 * Calls `onDrop` with files that are dropped anywhere on the page, unless a dialog is open or another element has taken
 * them. Returns whether files are dragged over the page.
 */
export function useFileDrop(onDrop: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const drop = useEffectEvent(onDrop)
  useEffect(() => {
    const listening = new AbortController()
    const isOurs = (event: DragEvent) => hasFiles(event) && dialogStack.top() === null
    const listen = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      handle: (event: DragEvent) => void,
    ) => window.addEventListener(type, handle, { signal: listening.signal })
    listen('dragenter', (event) => {
      if (isOurs(event)) setOver(true)
    })
    listen('dragover', (event) => {
      if (!isOurs(event)) return
      // Safari also reports that the pointer has left when it moves to another element.
      setOver(true)
      // Without this the browser would open the dropped file.
      event.preventDefault()
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy'
    })
    listen('dragleave', ({ relatedTarget }) => {
      // The pointer has left the window.
      if (relatedTarget === null) setOver(false)
    })
    listen('drop', (event) => {
      setOver(false)
      if (event.defaultPrevented || !isOurs(event) || event.dataTransfer === null) return
      event.preventDefault()
      drop(readFiles(event.dataTransfer))
    })
    return () => listening.abort()
  }, [])
  return isOver
}

/** Reads the files that are dropped or pasted. A folder looks like a file, but has no bytes. */
export function readFiles({ items, files }: DataTransfer): readonly File[] {
  const entries = [...items].filter(({ kind }) => kind === 'file')
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry?.()?.isDirectory === true
  if (!entries.some(isFolder)) return [...files]
  toast.error('A folder cannot be added. Add the files in it.')
  return entries.filter((item) => !isFolder(item)).flatMap((item) => item.getAsFile() ?? [])
}
