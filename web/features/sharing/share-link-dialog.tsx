import { CopyButton } from '../../ui/button/copy-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'

interface ShareLinkDialogProps {
  readonly address: string
  readonly onClose: () => void
}

/** Shows a link that the browser refused to copy. Some browsers copy it after another click, on 'Copy link'. */
export function ShareLinkDialog({ address, onClose }: ShareLinkDialogProps) {
  return (
    <Dialog
      size="small"
      title="Shared"
      description="The browser did not allow the link to be copied. Copy it from here."
      onClose={onClose}
    >
      <div className="flex items-end gap-1 pt-4">
        <div className="min-w-0 flex-1">
          <Field label="Link">
            <TextInput readOnly value={address} onFocus={({ target }) => target.select()} />
          </Field>
        </div>
        <CopyButton title="Copy link" text={address} />
      </div>
    </Dialog>
  )
}
