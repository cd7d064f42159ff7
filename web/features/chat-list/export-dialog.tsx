import { useId, useState } from 'react'
import { useNavigate } from 'react-router'
import type { ListRow } from '../../data/chat-list.ts'
import { ApiError, readReason } from '../../lib/api/api-error.ts'
import { readErrorBody } from '../../lib/api/error-body.ts'
import { useAction } from '../../lib/api/use-action.ts'
import { saveFile } from '../../lib/files/save-file.ts'
import { Button } from '../../ui/button/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { RadioGroup } from '../../ui/form/radio-group.tsx'

const formats = [
  { value: 'markdown', label: 'Markdown', meaning: 'The shown branch, to read and to edit' },
  { value: 'paper', label: 'PDF or paper', meaning: 'Opens the print view of your browser' },
  { value: 'json', label: 'JSON', meaning: 'All versions and calls, to import again' },
] as const
type Format = (typeof formats)[number]['value']

const filesHints: Readonly<Record<Format, string>> = {
  markdown: 'The download is a ZIP then',
  paper: 'Pictures are printed, other files as their names',
  json: 'In the same file, which grows by them',
}

export interface ExportDialogProps {
  readonly chat: Pick<ListRow, 'id' | 'title'>
  readonly onClose: () => void
}

/** Asks how a chat is exported, and downloads it or opens it for printing. */
export function ExportDialog({ chat, onClose }: ExportDialogProps) {
  const navigate = useNavigate()
  const form = useId()
  const [format, setFormat] = useState<Format>('markdown')
  const [files, setFiles] = useState(true)
  const download = useDownloadChat(chat)
  const submit = async () => {
    if (format === 'paper') {
      onClose()
      // The chat prints itself when it is shown, because only it can draw all of its messages.
      void navigate(`/chat/${encodeURIComponent(chat.id)}`, { state: { print: true } })
    } else if ((await download.run({ format, files })).done) onClose()
  }
  return (
    <Dialog
      size="small"
      title="Export this chat"
      description={<bdi className="wrap-anywhere">{chat.title}</bdi>}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={download.pending}>
            {format === 'paper' ? 'Print' : 'Export'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <RadioGroup label="Format" options={formats} value={format} onChange={setFormat} />
        <Checkbox
          label="With files"
          hint={filesHints[format]}
          checked={files && format !== 'paper'}
          disabled={format === 'paper'}
          onChange={({ target }) => setFiles(target.checked)}
        />
      </form>
    </Dialog>
  )
}

interface Download {
  readonly format: Exclude<Format, 'paper'>
  readonly files: boolean
}

function useDownloadChat({ id, title }: ExportDialogProps['chat']) {
  return useAction({
    async call(api, { format, files }: Download) {
      const query = new URLSearchParams({ format, files: String(files) })
      const response = await api.request(`/api/chat/${encodeURIComponent(id)}/export?${query}`)
      if (response === undefined) return undefined
      if (!response.ok)
        throw new ApiError(`API error: ${response.status}`, response.status, await readErrorBody(response))
      return {
        bytes: await response.blob(),
        name: nameOf(response) ?? `chat.${format === 'json' ? 'json' : 'md'}`,
      }
    },
    update: (_update, { bytes, name }) => saveFile(bytes, name),
    failure: (error) => `“${title}” could not be exported. ${readReason(error)}`,
  })
}

/** Returns the name that the server gives a file. */
function nameOf({ headers }: Response): string | undefined {
  const header = headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1]
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="([^"]+)"/i.exec(header)?.[1]
}
