import { Copy, FileText, LogOut, Monitor, Moon, Pencil, Settings, Sun } from 'lucide-react'
import { useState } from 'react'
import { toast } from '../lib/toasts.ts'
import { Button } from '../ui/button/button.tsx'
import { IconButton } from '../ui/button/icon-button.tsx'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { SidePanel } from '../ui/dialog/side-panel.tsx'
import { Field } from '../ui/form/field.tsx'
import { TextInput } from '../ui/form/text-input.tsx'
import { Avatar } from '../ui/icons/avatar.tsx'
import { MenuChoice, MenuItem, MenuLine } from '../ui/menu/menu-item.tsx'
import { Menu } from '../ui/menu/menu.tsx'
import { Section, Specimen } from './section.tsx'

export function MenuSpecimens() {
  const [theme, setTheme] = useState('light')
  return (
    <Section
      title="Menus and tooltips"
      lead="A menu opens by hover, click and keyboard; Enter, Space and the arrow keys move into it. A tooltip repeats the name of a control and shows its shortcut."
    >
      <Specimen name="Menu with a choice, groups and links">
        <Menu label="Account" shape="round" align="start" trigger={<Avatar name="Ada" size={30} />}>
          <MenuChoice
            label="Theme"
            value={theme}
            onChange={setTheme}
            options={[
              { value: 'light', label: 'Light', icon: <Sun size={16} aria-hidden /> },
              { value: 'dark', label: 'Dark', icon: <Moon size={16} aria-hidden /> },
              { value: 'system', label: 'System', icon: <Monitor size={16} aria-hidden /> },
            ]}
          />
          <MenuLine />
          <MenuItem to="/settings" icon={<Settings size={16} aria-hidden />}>
            Settings
          </MenuItem>
          <MenuItem to="/terms" icon={<FileText size={16} aria-hidden />}>
            Terms of Service
          </MenuItem>
          <MenuLine />
          <MenuItem onSelect={() => toast.success('Signed out')} icon={<LogOut size={16} aria-hidden />}>
            Sign out
          </MenuItem>
        </Menu>
      </Specimen>
      <Specimen name="Tooltips along a row">
        <IconButton label="Copy" shortcut="mod+c">
          <Copy size={18} aria-hidden />
        </IconButton>
        <IconButton label="Edit">
          <Pencil size={18} aria-hidden />
        </IconButton>
        <IconButton label="A control whose name is so long that a narrow window has no room for all of it">
          <Settings size={18} aria-hidden />
        </IconButton>
      </Specimen>
      <Specimen name="Tooltip at the edge of the window" wide>
        <span className="ml-auto">
          <IconButton label="At the very edge of the window" shortcut="mod+shift+o">
            <Settings size={18} aria-hidden />
          </IconButton>
        </span>
      </Specimen>
      <Specimen name="Tooltip in a list that scrolls" arrange="column">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls with the keyboard too */}
        <section className="gallery-scroller" tabIndex={0} aria-label="A list that scrolls">
          <div>
            <IconButton label="Scrolls away">
              <Pencil size={18} aria-hidden />
            </IconButton>
          </div>
        </section>
      </Specimen>
    </Section>
  )
}

type Layer = 'form' | 'confirm' | 'nested' | 'long' | 'panel'

export function DialogSpecimens() {
  const [layer, setLayer] = useState<Layer>()
  const close = () => setLayer(undefined)
  return (
    <Section
      title="Dialogs and toasts"
      lead="A dialog is for a task that needs all the attention; Escape closes the top layer only. A toast confirms an action or shows why it failed."
    >
      <Specimen name="Dialogs">
        <Button onClick={() => setLayer('form')}>Form</Button>
        <Button onClick={() => setLayer('confirm')}>Confirmation</Button>
        <Button onClick={() => setLayer('nested')}>Nested</Button>
        <Button onClick={() => setLayer('long')}>Long</Button>
        <Button onClick={() => setLayer('panel')}>Side panel</Button>
      </Specimen>
      <Specimen name="Toasts">
        <Button onClick={() => toast.success('Bot "Research" added successfully')}>Success</Button>
        <Button onClick={() => toast.error('Failed to save bot: The name is taken')}>Error</Button>
        <Button
          onClick={() =>
            toast.error(`Failed to add connector: ${'the server did not accept the request. '.repeat(4)}`)
          }
        >
          Long message
        </Button>
      </Specimen>
      {(layer === 'form' || layer === 'nested') && (
        <EditBotDialog isNested={layer === 'nested'} onClose={close} />
      )}
      {layer === 'confirm' && <DeleteDialog onClose={close} />}
      {layer === 'long' && (
        <Dialog title="Terms" description="The text scrolls, and the title stays visible." onClose={close}>
          {Array.from({ length: 30 }, (_, index) => (
            <p key={`line ${index}`} className="mt-3 text-sm">
              Paragraph {index + 1} of a text that is longer than the window.
            </p>
          ))}
        </Dialog>
      )}
      {layer === 'panel' && (
        <SidePanel title="Contents" onClose={close}>
          <p className="px-4.5 text-sm text-muted">The panel slides in from the left.</p>
        </SidePanel>
      )}
    </Section>
  )
}

function EditBotDialog({ isNested, onClose }: { readonly isNested: boolean; readonly onClose: () => void }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Dialog
      title="Edit Bot"
      onClose={onClose}
      footer={
        <>
          {isNested && <Button onClick={() => setDeleting(true)}>Delete Bot</Button>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            onClick={() => {
              toast.success('Bot "Research" updated successfully')
              if (!isNested) onClose()
            }}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 pt-1">
        <Field label="Name" required>
          <TextInput defaultValue="Research" />
        </Field>
        <Field label="Model" required hint="The provider's name for the model.">
          <TextInput defaultValue="demo-large" />
        </Field>
      </div>
      {isDeleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </Dialog>
  )
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Delete Bot"
      message="Are you sure you want to delete this bot? This action cannot be undone."
      action="Delete"
      onConfirm={() => Promise.resolve(true)}
      onDone={onClose}
      onCancel={onClose}
    />
  )
}
