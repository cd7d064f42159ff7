import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { BrandLink } from '../layout/brand-link.tsx'
import { PageTitle } from '../page-title.tsx'

export interface LegalPageProps {
  readonly title: string
  readonly lead: string
  /** `LegalSection` elements. */
  readonly children: ReactNode
}

/** A page of fixed text, the same signed in and signed out. */
export function LegalPage({ title, lead, children }: LegalPageProps) {
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <header className="flex h-header items-center px-3 sm:px-5">
        <BrandLink />
      </header>
      <main className="mx-auto w-full max-w-page flex-1 px-5 pt-8 pb-20 sm:pt-14">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-2 text-sm text-muted">
          In force since <time dateTime="2025-07-12">July 12, 2025</time>
        </p>
        <p className="mt-8 text-lg leading-relaxed">{lead}</p>
        {children}
        <nav
          aria-label="Legal"
          className="mt-16 flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-6 text-sm"
        >
          {[
            ['/', 'Home'],
            ['/terms', 'Terms of Service'],
            ['/privacy', 'Privacy Policy'],
          ].map(([to = '/', label]) => (
            <Link key={to} to={to} className="text-muted underline-offset-4 hover:text-ink hover:underline">
              {label}
            </Link>
          ))}
        </nav>
      </main>
    </>
  )
}

export interface LegalSectionProps {
  readonly title: string
  readonly children: ReactNode
}

export function LegalSection({ title, children }: LegalSectionProps) {
  return (
    <section className="mt-10">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-2 flex flex-col gap-4">{children}</div>
    </section>
  )
}
