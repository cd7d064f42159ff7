import { describe, expect, it } from 'vitest'
import { cleanTitle } from './clean-title.ts'

describe('the title in a reply of a model', () => {
  it.each([
    ['is between the tags', 'Sure!\n<title>Knife care</title>\nEnjoy.', 'Knife care'],
    ['is between the last tags', 'I write <title>…</title>.\n<title>\nKnife care\n</title>', 'Knife care'],
    ['may lack the last tag', '<title>Knife care', 'Knife care'],
    [
      'may be a sentence between tags',
      '<title>Knives, pans, pots and how to care for them.</title>',
      'Knives, pans, pots and how to care for them',
    ],
    ['may have commas', 'Knives, pans and pots', 'Knives, pans and pots'],
    ['is trimmed', '  Knife care \n', 'Knife care'],
    ['has no label', 'Title: Knife care', 'Knife care'],
    ['has no label of another language', '标题：刀具保养', '刀具保养'],
    ['has no label on a line of its own', '**Suggested title:**\n\nKnife care', 'Knife care'],
    ['has no Markdown', '## **Knife** `care`', 'Knife care'],
    ['is not fenced', '```\nKnife care\n```', 'Knife care'],
    ['has no quotation marks', '"Knife care"', 'Knife care'],
    ['has no full stop before or after the marks', '„Messer schärfen.“.', 'Messer schärfen'],
    ['keeps the marks of words', '"Dune" and "Emma"', '"Dune" and "Emma"'],
    ['keeps an apostrophe', "Mum's knives", "Mum's knives"],
    ['has no final punctuation', 'ナイフの研ぎ方。…', 'ナイフの研ぎ方'],
    ['may be a question', 'Which knife?', 'Which knife?'],
    ['is the line after an announcement', 'Here is a title:\nKnife care', 'Knife care'],
    ['may be a line with a colon', 'Knives:', 'Knives'],
    ['is the first line', 'Knife care\n\nIt says what the chat is about.', 'Knife care'],
    ['has no invisible or control characters', '\u202eKnife\u2066\u0007 care\u200b\0', 'Knife care'],
    ['keeps the joiners of an emoji', '👩‍🍳 Knife care', '👩‍🍳 Knife care'],
    ['has no half of a character', '\ud83dKnife care', '\ufffdKnife care'],
    [
      'ends with a whole word when it is long',
      'The long and patient way to sharpen a kitchen knife at home with a stone',
      'The long and patient way to sharpen a kitchen knife at home…',
    ],
    ['is cut where there are no words', '刀'.repeat(61), `${'刀'.repeat(59)}…`],
    ['has 60 characters as a user counts them', '👩‍🍳'.repeat(60), '👩‍🍳'.repeat(60)],
  ])('%s', (_rule, reply, title) => {
    expect(cleanTitle(reply)).toBe(title)
  })

  it.each([
    ['nothing', ' \n\u200b\n'],
    ['marks only', '"**…**"'],
    [
      'an answer to the user',
      `First soak the stone, ${'then move the blade over it, '.repeat(5)}and rinse it.`,
    ],
    ['empty tags', 'A title? <title> </title>'],
    ['a refusal', 'I cannot help with that.'],
    ['a refusal without a full stop', "I'm sorry, but I can't help with that"],
    ['a refusal in quotation marks', '"I can’t write a title."'],
    ['a refusal in German', 'Dabei kann ich leider nicht helfen.'],
    ['a refusal in French', 'Je suis désolé, mais je ne peux pas vous aider'],
    ['a refusal in Japanese', '申し訳ありませんが、お手伝いできません。'],
    ['a refusal in Chinese', '抱歉，我无法回答这个问题。'],
    ['a refusal in Hindi', 'मैं इसमें मदद नहीं कर सकता।'],
    ['a refusal in Arabic', 'عذرًا، لا أستطيع المساعدة في ذلك'],
  ])('is missing in %s', (_what, reply) => {
    expect(cleanTitle(reply)).toBeUndefined()
  })
})
