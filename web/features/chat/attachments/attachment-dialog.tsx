import { isPicture, maxAltChars, maxFileNameChars } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { formatBytes } from '../../../lib/format-usage.ts'
import { useForm } from '../../../lib/use-form.ts'
import { EditDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { Thumbnail } from './thumbnail.tsx'

export interface AttachmentDialogProps {
  readonly file: FileRef
  /** The address of the file on this page, while it is not stored. */
  readonly preview: string | undefined
  readonly onSave: (file: FileRef) => void
  readonly onClose: () => void
}

/** Changes the name of an attached file, and describes a picture. */
export function AttachmentDialog({ file, preview, onSave, onClose }: AttachmentDialogProps) {
  const isShown = isPicture(file.type) || preview !== undefined
  const form = useForm<{ name: string; alt: string }, 'name'>({
    initial: () => ({ name: file.name, alt: file.alt ?? '' }),
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    submit: async ({ name, alt }) => {
      const { alt: _, ...rest } = file
      onSave({ ...rest, name: name.trim(), ...(alt.trim() !== '' && { alt: alt.trim() }) })
      onClose()
    },
  })
  const { draft, problems, change } = form
  return (
    <EditDialog
      title={isShown ? 'Attached picture' : 'Attached file'}
      action="Save"
      form={form}
      onClose={onClose}
    >
      {isShown && (
        <div className="h-40 overflow-hidden rounded-control bg-sunken">
          <Thumbnail file={file} preview={preview} isWhole />
        </div>
      )}
      <Field label="Name" required error={problems.name} hint={describe(file)}>
        <TextInput
          ref={form.ref('name')}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          maxLength={maxFileNameChars}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      {isShown && (
        <Field label="Description" hint="What the picture shows, for people who cannot see it.">
          <TextArea
            maxLength={maxAltChars}
            value={draft.alt}
            onChange={(event) => change({ alt: event.target.value })}
          />
        </Field>
      )}
    </EditDialog>
  )
}

function describe({ size, width, height }: FileRef): string {
  const pixels = width === undefined || height === undefined ? '' : `, ${width} × ${height} pixels`
  return formatBytes(size) + pixels
}
