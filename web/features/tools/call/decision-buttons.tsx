import type { GrantInput } from '@yonder/contract/grant'
import type { Message } from '@yonder/contract/message'
import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, use, useRef, useState, type ReactNode, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useChangePermissions } from '../../../data/connectors.ts'
import { MaxGrantHoursContext } from '../../../data/max-grant-hours.ts'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { MenuItem, MenuLine } from '../../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../../ui/menu/popup-menu.tsx'
import { listTextArguments } from './argument-fields.ts'
import type { CallDecisions } from './decide-call.ts'
import { useCreateGrant } from './use-create-grant.ts'

// Loaded on demand, because most decisions are one press of a button.
const loadForms = () => import('./decision-forms.tsx')
const ReasonForm = lazy(async () => {
  const { ReasonForm: component } = await loadForms()
  return { default: component }
})
const RuleForm = lazy(async () => {
  const { RuleForm: component } = await loadForms()
  return { default: component }
})

export interface DecisionButtonsProps {
  readonly chatId: string
  readonly message: Message
  /** Undefined while nothing can be decided. */
  readonly decide: CallDecisions | undefined
  /** Always allows the tool, and returns whether that succeeded. */
  readonly allowAlways: { readonly run: () => Promise<boolean>; readonly pending: boolean }
  /** Whether only this call can be allowed, and not its tool. */
  readonly isOnce: boolean
  /** Whether the tool cannot be allowed always, because the user has blocked it. */
  readonly isBlocked: boolean
  /** Whether the call cannot be allowed now. */
  readonly canOnlyDeny: boolean
  readonly look: 'primary' | 'quiet'
  /** What screen readers read after the labels, where the buttons of several calls stand in one card. */
  readonly subject: string | undefined
  /** The id of a note about the buttons that allow. */
  readonly note: string | undefined
}

/** The buttons that decide about a call, with the finer decisions in menus beside them. */
export function DecisionButtons(props: DecisionButtonsProps) {
  const { chatId, message, decide, allowAlways, isOnce, isBlocked, canOnlyDeny, look, subject, note } = props
  const { server = '', tool = '', bot, call } = message
  const nameOf = (label: string) => (subject === undefined ? undefined : `${label}: ${subject}`)
  const [form, setForm] = useState<'reason' | 'rule'>()
  const allowMenu = useRef<HTMLButtonElement>(null)
  const denyMenu = useRef<HTMLButtonElement>(null)
  const grant = useCreateGrant()
  const block = useChangePermissions()
  const maxHours = use(MaxGrantHoursContext)
  const isBusy = allowAlways.pending || grant.pending || block.pending
  const disabled = decide === undefined || isBusy
  const { fingerprint, credential } = call ?? {}
  const canGrant = !isOnce && fingerprint !== undefined
  const texts = canGrant ? listTextArguments(message.arguments ?? '') : []

  const allowFor = async (limits: Partial<GrantInput>, what: string) => {
    if (fingerprint === undefined) return
    const input = { server, tool, fingerprint, ...(credential !== undefined && { credential }), ...limits }
    if ((await grant.run({ ...input, what })).done) decide?.allow()
  }
  const blockTool = async () => {
    // Of whatever version: the tool may be blocked because it has changed since the model made the call.
    const tools = [{ name: tool, permission: 'block' } as const]
    if ((await block.run({ connector: server, tools })).done) decide?.deny()
  }
  const closeForm = (opener: RefObject<HTMLButtonElement | null>) => {
    flushSync(() => setForm(undefined))
    opener.current?.focus()
  }
  if (form === 'reason')
    return (
      <Suspense>
        <ReasonForm
          disabled={disabled}
          onDeny={(reason) => decide?.deny(reason)}
          onBack={() => closeForm(denyMenu)}
        />
      </Suspense>
    )
  if (form === 'rule')
    return (
      <Suspense>
        <RuleForm
          texts={texts}
          busy={grant.pending}
          disabled={disabled && !isBusy}
          onAllow={(rule) => void allowFor({ rule }, `when "${rule.argument}" fits`)}
          onBack={() => closeForm(allowMenu)}
        />
      </Suspense>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* On a phone alone in its line, because three buttons do not fit into one. */}
      <span className={classNames('inline-flex', !isOnce && 'max-sm:w-full max-sm:*:flex-auto')}>
        <Button
          look={look}
          disabled={disabled || canOnlyDeny}
          aria-label={nameOf('Allow Once')}
          aria-describedby={note}
          onClick={() => decide?.allow()}
        >
          Allow Once
        </Button>
      </span>
      {!isOnce && (
        <span className="inline-flex">
          <Button
            busy={allowAlways.pending || grant.pending}
            aria-describedby={note}
            disabled={(disabled && !isBusy) || isBlocked || canOnlyDeny}
            onClick={() => void allowAlways.run().then((isAllowed) => isAllowed && decide?.allow())}
          >
            Allow Always
          </Button>
          {canGrant && (
            <ArrowMenu ref={allowMenu} label="Allow for…" disabled={disabled || isBlocked || canOnlyDeny}>
              <MenuItem onSelect={() => void allowFor({ chatId }, 'in this chat')}>In this chat</MenuItem>
              {maxHours >= 1 && (
                <MenuItem onSelect={() => void allowFor({ minutes: 60 }, 'for 1 hour')}>For 1 hour</MenuItem>
              )}
              {maxHours >= 24 && (
                <MenuItem onSelect={() => void allowFor({ minutes: 24 * 60 }, 'for 1 day')}>
                  For 1 day
                </MenuItem>
              )}
              {(texts.length > 0 || bot !== undefined) && <MenuLine />}
              {texts.length > 0 && (
                <MenuItem onSelect={() => setForm('rule')}>Always, but only with…</MenuItem>
              )}
              {bot !== undefined && (
                <MenuItem onSelect={() => void allowFor({ bot }, `with ${bot} only`)}>
                  <span className="wrap-anywhere">
                    Always with <bdi>{bot}</bdi> only
                  </span>
                </MenuItem>
              )}
            </ArrowMenu>
          )}
        </span>
      )}
      <span className="inline-flex">
        <Button
          look="plain"
          aria-label={nameOf('Deny')}
          busy={block.pending}
          disabled={disabled && !isBusy}
          onClick={() => decide?.deny()}
        >
          Deny
        </Button>
        <ArrowMenu ref={denyMenu} label={nameOf('Deny with…') ?? 'Deny with…'} disabled={disabled}>
          <MenuItem onSelect={() => setForm('reason')}>Deny with a reason…</MenuItem>
          {!isBlocked && <MenuItem onSelect={() => void blockTool()}>Block this tool</MenuItem>}
        </ArrowMenu>
      </span>
    </div>
  )
}

interface ArrowMenuProps {
  /** The accessible name of the arrow and of the menu. */
  readonly label: string
  readonly disabled: boolean
  /** Menu items. */
  readonly children: ReactNode
  readonly ref: RefObject<HTMLButtonElement | null>
}

/** A small arrow beside a button, with a menu of what the button can do more finely. */
function ArrowMenu({ label, disabled, children, ref }: ArrowMenuProps) {
  const [place, setPlace] = useState<MenuPlace>()
  return (
    <>
      <IconButton
        ref={ref}
        label={label}
        disabled={disabled}
        aria-haspopup="menu"
        aria-expanded={place !== undefined}
        onClick={({ currentTarget }) => {
          setPlace(place === undefined ? currentTarget.getBoundingClientRect() : undefined)
          // A form that opens later would miss the first words that are typed.
          loadForms().catch(() => undefined)
        }}
      >
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      {place !== undefined && (
        <PopupMenu
          label={label}
          at={place}
          onClose={(byUser) => {
            setPlace(undefined)
            if (byUser) ref.current?.focus()
          }}
        >
          {children}
        </PopupMenu>
      )}
    </>
  )
}
