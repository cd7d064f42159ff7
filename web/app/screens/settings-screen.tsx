import { Navigate, NavLink, useNavigate, useParams } from 'react-router'
import { classNames } from '../../ui/class-names.ts'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { PageTitle } from '../page-title.tsx'
import { settingsSections, type SettingsSection } from './settings-sections.tsx'

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
