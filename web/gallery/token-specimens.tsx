import { Section, Specimen } from './section.tsx'

const colours = {
  Backgrounds: ['page', 'surface', 'sunken', 'bubble', 'hover', 'pressed'],
  'Text and lines': ['ink', 'muted', 'line', 'line-strong'],
  Accent: ['accent', 'accent-hover', 'accent-soft', 'on-accent', 'mark'],
  States: ['success', 'warning', 'danger', 'danger-hover', 'danger-soft', 'on-danger'],
  Code: ['code-keyword', 'code-string', 'code-number', 'code-name', 'code-comment', 'code-type'],
}
const textSizes = ['xs', 'sm', 'base', 'lg', 'xl', '2xl', 'code']
const spaces = [1, 2, 3, 4, 6, 8, 12]
const radii = ['mark', 'inner', 'control', 'card', 'block']

export function TokenSpecimens() {
  return (
    <Section title="Tokens" lead="The colours, text sizes, spaces, radii and the shadow of the interface.">
      {Object.entries(colours).map(([name, group]) => (
        <Specimen key={name} name={name} wide arrange="column">
          <div className="gallery-swatches">
            {group.map((colour) => (
              <div key={colour} className="gallery-swatch">
                <span style={{ background: `var(--${colour})` }} />
                <code>--{colour}</code>
              </div>
            ))}
          </div>
        </Specimen>
      ))}
      <Specimen name="Type" wide arrange="column">
        {textSizes.map((size) => (
          <div key={size} className="gallery-measure">
            <code>--text-{size}</code>
            <span
              style={{
                fontSize: `var(--text-${size})`,
                lineHeight: `var(--text-${size}--line-height)`,
                fontFamily: size === 'code' ? 'var(--font-mono)' : undefined,
              }}
            >
              The text is the interface
            </span>
          </div>
        ))}
      </Specimen>
      <Specimen name="Space, in steps of 4 px" arrange="column">
        <div>
          {spaces.map((step) => (
            <div key={step} className="gallery-measure">
              <code>{`${step} = ${step * 4} px`}</code>
              <span className="gallery-bar" style={{ width: step * 4 }} />
            </div>
          ))}
        </div>
      </Specimen>
      <Specimen name="Radii" arrange="column">
        <div>
          {radii.map((radius) => (
            <div key={radius} className="gallery-measure">
              <code>--radius-{radius}</code>
              <span className="gallery-corner" style={{ borderRadius: `var(--radius-${radius})` }} />
            </div>
          ))}
        </div>
      </Specimen>
      <Specimen name="Shadow, only on layers that float">
        <span className="rounded-card bg-surface px-4 py-3 text-sm shadow-float">--shadow-float</span>
      </Specimen>
    </Section>
  )
}
