import { lazy, type ComponentType } from 'react'
import { Navigate, NavLink, useNavigate, useParams } from 'react-router'
import { useIdentity } from '../../features/identity/use-identity.ts'
import { GeneralSection } from '../../features/preferences/general-section.tsx'
import { OwnShares } from '../../features/sharing/own-shares.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { PageTitle } from '../page-title.tsx'

/** The settings: a menu on the left on wide screens, a 'Sections' dropdown on small ones. */
export function SettingsScreen() {
  const { section } = useParams()
  const current = settingsSections.find(({ id }) => id === section)
  if (current === undefined) return <Navigate to="/settings/general" replace />
  const { label, Section } = current
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-1 flex-col gap-6 px-4 py-6 md:flex-row md:gap-12 md:px-8 md:py-10">
      <PageTitle>{label}</PageTitle>
      <h1 className="sr-only">Settings</h1>
      <SectionMenu />
      <SectionChoice current={current} />
      <div className="min-w-0 max-w-column flex-1 pb-10">
        <Section />
      </div>
    </div>
  )
}

function SectionMenu() {
  return (
    <nav aria-label="Settings" className="hidden w-44 shrink-0 md:block">
      <p aria-hidden className="mb-3 px-3 text-lg font-semibold">
        Settings
      </p>
      <ul className="flex flex-col gap-0.5">
        {settingsSections.map(({ id, label }) => (
          <li key={id}>
            <NavLink
              to={`/settings/${id}`}
              className={({ isActive }) =>
                classNames(
                  'block rounded-control px-3 py-1.5 text-sm transition-colors',
                  isActive ? 'bg-pressed font-medium' : 'text-muted hover:bg-hover hover:text-ink',
                )
              }
            >
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function SectionChoice({ current }: { readonly current: SettingsSection }) {
  const navigate = useNavigate()
  return (
    <div className="md:hidden">
      <Field label="Sections">
        <Select value={current.id} onChange={(event) => void navigate(`/settings/${event.target.value}`)}>
          {settingsSections.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}

const BotsSettings = lazy(async () => ({ default: (await import('./bots-settings.tsx')).BotsSettings }))

const ConnectorsSection = lazy(async () => ({
  default: (await import('../../features/connectors/connectors-section.tsx')).ConnectorsSection,
}))

const IntegrationsSection = lazy(async () => ({
  default: (await import('../../features/integrations/integrations-section.tsx')).IntegrationsSection,
}))

const PermissionsSection = lazy(async () => ({
  default: (await import('../../features/permissions/permissions-section.tsx')).PermissionsSection,
}))

const UsageSection = lazy(async () => ({
  default: (await import('../../features/usage/usage-section.tsx')).UsageSection,
}))

const NotificationsSection = lazy(async () => ({
  default: (await import('../../features/notifications/notifications-section.tsx')).NotificationsSection,
}))

const DataSection = lazy(async () => ({
  default: (await import('../../features/data/data-section.tsx')).DataSection,
}))

interface SettingsSection {
  /** The last segment of the section's path. */
  readonly id: string
  readonly label: string
  readonly Section: ComponentType
}

const settingsSections: readonly SettingsSection[] = [
  { id: 'general', label: 'General', Section: GeneralSettings },
  { id: 'bots', label: 'Bots', Section: BotsSettings },
  { id: 'connectors', label: 'Connectors', Section: ConnectorsSection },
  { id: 'integrations', label: 'Integrations', Section: IntegrationsSection },
  { id: 'permissions', label: 'Permissions', Section: PermissionsSection },
  { id: 'notifications', label: 'Notifications', Section: NotificationsSection },
  { id: 'usage', label: 'Usage', Section: UsageSection },
  { id: 'data', label: 'Data', Section: DataSection },
]

/** The General section of settings, with the links that the user has shared. */
function GeneralSettings() {
  const { identity } = useIdentity()
  return (
    <GeneralSection accountUrl={identity.accountUrl}>
      <OwnShares />
    </GeneralSection>
  )
}
