import { CalendarDays, KeyRound, Mail } from 'lucide-react'

/** A sign beside the name, which says the same. */
export function IntegrationIcon({ name }: { readonly name: string }) {
  const Icon = name === 'google-gmail' ? Mail : name === 'google-calendar' ? CalendarDays : KeyRound
  return (
    <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-sunken text-muted">
      <Icon size={18} aria-hidden />
    </span>
  )
}
