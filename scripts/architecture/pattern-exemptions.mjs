/**
 * @typedef {object} Exemption
 * @property {string} path
 * @property {string} pattern as written in the file
 * @property {string} reason why it cannot stop the process or the page
 */

/**
 * The regular expressions that `npm run check` does not find to be linear.
 *
 * @type {readonly Exemption[]}
 */
export const patternExemptions = [
  {
    path: 'contract/lib/invisible.ts',
    pattern: "new RegExp(invisible, 'u')",
    reason: 'It matches one character.',
  },
  {
    path: 'contract/lib/invisible.ts',
    pattern: "new RegExp(invisible, 'gu')",
    reason: 'It matches one character.',
  },
  {
    path: 'contract/lib/invisible.ts',
    pattern: "new RegExp(`${visibleSequences.join('|')}|((?:(?!${endOfRun})${invisible})+)`, 'gu')",
    reason: 'Nothing follows its repetitions, so it never backtracks, and it looks at one neighbour only.',
  },
  {
    path: 'server/connectors/calls/secret-words.ts',
    pattern:
      "new RegExp(clearWords.flatMap((word) => [word, start + Array.from(word).join(' ?')]).join('|'))",
    reason: 'It repeats nothing.',
  },
  {
    path: 'server/connectors/calls/secret-words.ts',
    pattern:
      'new RegExp(\n  String.raw`${start}(?:(?:${toPattern(latinPhrases)})(?![^ \\n])|${toPattern(otherPhrases.slice(0, 2))})|${toPattern(otherPhrases.slice(2))}`,\n)',
    reason: 'A repetition begins and ends at a space, and the caller limits the text.',
  },
  {
    path: 'server/models/refusal.ts',
    pattern: String.raw`/\b(?:tools?|tool[ _-]?(?:use|calls?|calling|choice)|functions?|function[ _-]?call(?:s|ing)?)(?: \w+){0,2} (?:is|are) not (?:supported|enabled|available|allowed)\b/i`,
    reason: 'At most two words follow the first one, and the text is cut to 4,000 characters.',
  },
  {
    path: 'contract/message-text.ts',
    pattern: String.raw`/(\*\*|~~)(?=\S)(.+?)(?<=\S)\1/g`,
    reason: 'The text is cut to 2,000 characters.',
  },
  {
    path: 'contract/message-text.ts',
    pattern: String.raw`/(?<![\w./\\])__(?=\S)(.+?)(?<=\S)__(?![\w/\\([]|\.\w)/g`,
    reason: 'The text is cut to 2,000 characters.',
  },
  {
    path: 'web/features/chat/message/typed-content.tsx',
    pattern: '/(?<![`\\\\])`[^`\\s](?:[^`]*[^`\\s])?`(?!`)/',
    reason: 'A line has at most 2,000 characters, and what is between two backticks is read once.',
  },
  {
    path: 'web/features/chat/message/typed-content.tsx',
    pattern: String.raw`/(?<![\w*~(])(\*\*|~~)(?![\s*~]).{0,200}?[^\s*~\\]\1(?![a-z\d*~])/i`,
    reason: 'A line has at most 2,000 characters, and after each mark at most 200 are read.',
  },
  {
    path: 'web/features/chat/message/typed-content.tsx',
    pattern: String.raw`/\[[^[\]]{1,200}\]\(https?:\/\//`,
    reason: 'A line has at most 2,000 characters, and after each bracket at most 200 are read.',
  },
  {
    path: 'contract/message-text.ts',
    pattern: String.raw`/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g`,
    reason: 'The text is cut to 2,000 characters.',
  },
  {
    path: 'web/ui/markdown/split-blocks.ts',
    pattern: "new RegExp(`\\\\n {0,3}${open.exec(source)?.[1] ?? ''}[~\\`]* *(?=\\\\n|$)`, 'g')",
    reason:
      'It begins at the end of a line and reads the next one, whose marks and spaces cannot be exchanged.',
  },
  {
    path: 'web/ui/markdown/normalize-maths.ts',
    pattern: String.raw`/\\\[([\s\S]{1,2000}?)\\\]|\\\((.{1,2000}?)\\\)|\\[\s\S]|\$\$([\s\S]{1,2000}?)\$\$|(?<![\w$])\$(?![\s$])((?:\\.|[^$\\\n]){1,2000}?)(?<![\s\\])\$(?![\d_{$]|(?!(?:th|st|nd|rd|s)\b)[a-z])/gi`,
    reason: 'A block has at most 1,000 delimiters, and after each at most 2,000 characters are read.',
  },
]
