import type { ReactNode } from 'react'

export interface SectionProps {
  readonly title: string
  /** What the section shows, or when to use it. */
  readonly lead: string
  readonly children: ReactNode
}

/** A section of the gallery, which can be linked to. */
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
  /** Whether the specimen takes the whole width. */
  readonly wide?: boolean
  /** How the children are laid out. */
  readonly arrange?: 'row' | 'column'
  readonly children: ReactNode
}

/** One state of a primitive, or a few states to compare. */
export function Specimen({ name, wide = false, arrange = 'row', children }: SpecimenProps) {
  return (
    <div className="gallery-specimen" data-wide={wide || undefined}>
      <h3>{name}</h3>
      <div className={arrange === 'row' ? 'gallery-row' : 'gallery-column'}>{children}</div>
    </div>
  )
}
