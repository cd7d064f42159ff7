import { format, listGrowth, type Growth, type Summary, type Verdict } from './figures.ts'
import type { StoredReport } from './open-report.ts'
import { styles } from './report-styles.ts'

/*
 * Renders one HTML page without scripts or requests. Each figure has a row for each size (cost beside the goal, and
 * value), and below them how the cost grows.
 */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')

export function renderPage(reports: readonly StoredReport[]): string {
  const verdicts = reports.flatMap(listVerdicts)
  const met = verdicts.filter(({ isMet }) => isMet).length
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Measurements</title>
<style>${styles}</style>
</head>
<body>
<header>
<h1>Measurements</h1>
<p>${met} of ${verdicts.length} goals are met.</p>
<nav aria-label="Measurements">${reports.map(renderLink).join('')}</nav>
<p class="key"><span><svg width="64" height="12" aria-hidden="true"><rect class="track" y="2" width="64" height="8" rx="4"/><rect class="met" y="2" width="24" height="8" rx="4"/><line class="goal" x1="38" x2="38" y1="0" y2="12"/></svg> cost and goal</span>
<span><svg width="44" height="24" aria-hidden="true"><line class="linear" x1="4" y1="20" x2="40" y2="4"/><line class="growth" x1="4" y1="20" x2="40" y2="14"/></svg> growth with the size, on logarithmic scales; the dashed line is linear</span></p>
</header>
<main>
${reports.map(renderReport).join('\n')}
</main>
</body>
</html>
`
}

function listVerdicts({ figures }: StoredReport): readonly Verdict[] {
  return [...figures, ...listGrowth(figures)].flatMap(({ verdict }) => verdict ?? [])
}

function renderLink(report: StoredReport): string {
  const missed = listVerdicts(report).filter(({ isMet }) => !isMet).length
  const count = missed === 0 ? '' : ` <span class="is-missed">${missed} missed</span>`
  return `<span><a href="#${escape(report.name)}">${escape(report.name)}</a>${count}</span>`
}

function renderReport({ name, sizeUnit, measuredAt, machine, figures }: StoredReport): string {
  const growths = new Map(listGrowth(figures).map((growth) => [growth.name, growth]))
  const names = [...new Set(figures.map((figure) => figure.name))]
  const blocks = names.map((each) =>
    renderFigure(
      figures.filter((figure) => figure.name === each),
      growths.get(each),
      sizeUnit,
    ),
  )
  return `<section id="${escape(name)}" aria-labelledby="${escape(name)}-title">
<h2 id="${escape(name)}-title">${escape(name)}</h2>
<p class="conditions"><time datetime="${escape(measuredAt)}">${escape(measuredAt.slice(0, 16).replace('T', ' '))} UTC</time>, ${escape(machine)}</p>
${blocks.join('\n')}
</section>`
}

/** The figures of one name, the smallest size first. */
function renderFigure(figures: readonly Summary[], growth: Growth | undefined, sizeUnit: string): string {
  const rows = figures.map(({ size, unit, count, median, p95, counterpart, verdict }) => {
    const spread = count < 2 ? '' : `<span class="muted"> p95 ${format(p95)}</span>`
    const ratio =
      counterpart === null
        ? ''
        : `<span class="muted">${format(counterpart.ratio)} x that of ${escape(counterpart.name)} (${format(counterpart.amount)})</span>`
    return `<li>
<span class="size">${size === null ? '' : `${size.toLocaleString('en')} <span class="muted">${escape(sizeUnit)}</span>`}</span>
<span class="plot">${verdict === null ? '' : drawBar(verdict)}</span>
<span class="value"><b>${format(median)}</b> ${escape(unit)}${spread}</span>
<span class="notes">${[renderVerdict(verdict), ratio].filter((note) => note !== '').join('<br>')}</span>
</li>`
  })
  return `<div class="figure"><h3>${escape(figures[0]?.name ?? '')}</h3>
<ul>${rows.join('')}</ul>
${growth === undefined ? '' : renderGrowth(growth)}
</div>`
}

function renderVerdict(verdict: Verdict | null): string {
  if (verdict === null) return ''
  const word = verdict.isMet
    ? '<strong class="is-met">met</strong>'
    : '<strong class="is-missed">missed</strong>'
  return `${word} <span class="muted">${escape(verdict.goal)}</span>`
}

const bar = { width: 160, height: 12, goalAt: 96 }

/** All goals are at the same place, so that a row that reaches beyond the line stands out. */
function drawBar({ share, isMet, goal }: Verdict): string {
  const { width, height, goalAt } = bar
  const length = Math.max(4, Math.min(share * goalAt, width))
  const isCut = share * goalAt > width
  const label = `${format(share * 100)} % of the goal, ${goal}`
  const cut = isCut
    ? `<path class="cut" d="M${width - 14} ${height} l4 -${height} M${width - 10} ${height} l4 -${height}"/>`
    : ''
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">
<rect class="track" y="2" width="${width}" height="8" rx="4"/>
<rect class="${isMet ? 'met' : 'missed'}" y="2" width="${length.toFixed(1)}" height="8" rx="4"/>${cut}
<line class="goal" x1="${goalAt}" x2="${goalAt}" y1="0" y2="${height}"/></svg>`
}

const curve = { width: 72, height: 40, edge: 5 }

function renderGrowth({ points, factor, exponent, verdict }: Growth): string {
  const sizes = (points.at(-1)?.size ?? 1) / (points[0]?.size ?? 1)
  return `<p class="growth-line">${drawGrowth(points)}<span><b>${format(factor)} x</b> at ${format(sizes)} x the size
<span class="muted">exponent ${format(exponent)}</span> ${renderVerdict(verdict)}</span></p>`
}

/** Both axes are logarithmic and equally long, so that a linear cost is a diagonal. */
function drawGrowth(points: Growth['points']): string {
  const { width, height, edge } = curve
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ''
  const whole = Math.log(last.size / first.size)
  const place = (size: number, amount: number): string => {
    const x = Math.log(size / first.size) / whole
    // Keeps the point in the picture when the cost shrinks, or grows faster than linearly.
    const y = Math.max(-0.15, Math.min(Math.log(amount / first.amount) / whole, 1.15))
    return `${(edge + x * (width - 2 * edge)).toFixed(1)},${(height - edge - 4 - y * (height - 2 * edge - 8)).toFixed(1)}`
  }
  const [start, end] = [place(first.size, first.amount), place(last.size, first.amount * Math.exp(whole))]
  const [x1, y1] = start.split(',')
  const [x2, y2] = end.split(',')
  const placed = points.map(({ size, amount }) => place(size, amount))
  const dots = placed.map((point) => {
    const [x, y] = point.split(',')
    return `<circle class="dot" cx="${x}" cy="${y}" r="2.5"/>`
  })
  return `<svg width="${width}" height="${height}" aria-hidden="true"><line class="linear" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/><polyline class="growth" points="${placed.join(' ')}"/>${dots.join('')}</svg>`
}
