import type { ReactNode } from 'react'

export interface SectionProps {
  readonly title: string
  /** When to use what it shows. */
  readonly lead: string
  readonly children: ReactNode
}

/** A part of the gallery with a link of its own. */
export function Section({ title, lead, children }: SectionProps) {
  const id = sectionId(title)
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="gallery-section">
      <h2 id={`${id}-title`}>{title}</h2>
      <p>{lead}</p>
      <div className="gallery-specimens">{children}</div>
    </section>
  )
}

export function sectionId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

export interface SpecimenProps {
  readonly name: string
  /** Takes the whole width. */
  readonly wide?: boolean
  /** How its children are arranged. */
  readonly arrange?: 'row' | 'column'
  readonly children: ReactNode
}

/** One state of a primitive, or a few that are compared. */
export function Specimen({ name, wide = false, arrange = 'row', children }: SpecimenProps) {
  return (
    <div className="gallery-specimen" data-wide={wide || undefined}>
      <h3>{name}</h3>
      <div className={arrange === 'row' ? 'gallery-row' : 'gallery-column'}>{children}</div>
    </div>
  )
}
