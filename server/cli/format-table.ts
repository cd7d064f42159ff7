import { toVisibleLine } from '../lib/text.ts'

/**
 * A line for each row, in aligned columns; the first row has the titles. Columns of numbers are aligned at the right.
 * Control characters, which a terminal would obey, are made visible.
 */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : toVisibleLine(cell))),
  )
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const isNumeric = widths.map((_, column) => rows.slice(1).some((row) => typeof row[column] === 'number'))
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
