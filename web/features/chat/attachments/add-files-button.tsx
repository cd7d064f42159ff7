import { Camera, Plus, Upload } from 'lucide-react'
import { useRef, useState, type ComponentProps } from 'react'
import { useMediaQuery } from '../../../lib/use-media-query.ts'
import { MenuItem } from '../../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../../ui/menu/popup-menu.tsx'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Tooltip } from '../../../ui/tooltip/tooltip.tsx'

const shortcut = 'mod+u'
/** The distance between the button and its menu, in pixels. */
const gapPx = 6

export interface AddFilesButtonProps {
  readonly disabled: boolean
  /** Whether the keys of the page add files here. */
  readonly hasShortcut?: boolean
  readonly onAdd: (files: Iterable<File>) => void
}

/** Opens the dialog that chooses files, and where there is a camera first a menu with both. */
export function AddFilesButton({ disabled, hasShortcut = false, onAdd }: AddFilesButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const [place, setPlace] = useState<MenuPlace>()
  const hasCamera = useMediaQuery('(pointer: coarse)')
  const open = () => {
    if (!hasCamera) {
      picker.current?.click()
      return
    }
    const box = button.current?.getBoundingClientRect()
    // A place without a width: the menu begins at the left edge of the button, above or below it.
    if (place !== undefined || box === undefined) setPlace(undefined)
    else setPlace({ left: box.left, right: box.left, top: box.top - gapPx, bottom: box.bottom + gapPx })
  }
  return (
    <>
      <Tooltip text="Add files" shortcut={hasShortcut ? shortcut : undefined}>
        <button
          ref={button}
          type="button"
          aria-label="Add files"
          {...(hasCamera && { 'aria-haspopup': 'menu', 'aria-expanded': place !== undefined })}
          disabled={disabled}
          onClick={open}
          className="touch-target inline-flex size-9 shrink-0 items-center justify-center rounded-full text-muted transition-colors hover:bg-hover hover:text-ink disabled:opacity-40"
        >
          <Plus size={18} aria-hidden />
        </button>
      </Tooltip>
      {place !== undefined && (
        <PopupMenu
          label="Add files"
          at={place}
          onClose={(byUser) => {
            setPlace(undefined)
            if (byUser) button.current?.focus()
          }}
        >
          <MenuItem icon={<Upload size={16} aria-hidden />} onSelect={() => picker.current?.click()}>
            Files and pictures
          </MenuItem>
          <MenuItem icon={<Camera size={16} aria-hidden />} onSelect={() => camera.current?.click()}>
            Take a picture
          </MenuItem>
        </PopupMenu>
      )}
      {hasShortcut && <ShortcutKeys onPress={() => !disabled && picker.current?.click()} />}
      <FileInput ref={picker} multiple onAdd={onAdd} />
      {hasCamera && <FileInput ref={camera} accept="image/*" capture="environment" onAdd={onAdd} />}
    </>
  )
}

function ShortcutKeys({ onPress }: { readonly onPress: () => void }) {
  useShortcut(shortcut, () => onPress())
  return null
}

interface FileInputProps extends ComponentProps<'input'> {
  readonly onAdd: (files: Iterable<File>) => void
}

/** Opens the dialog of the browser that chooses files. */
function FileInput({ onAdd, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
      type="file"
      hidden
      onChange={({ currentTarget }) => {
        // A copy, because emptying the input, with which it reports the same file again, empties its list.
        onAdd([...(currentTarget.files ?? [])])
        currentTarget.value = ''
      }}
    />
  )
}
