/*
 * Finds the words by which a form asks for a secret, in the languages that most users read. A server may hide what it
 * asks for: in letters that look like others, in digits, by signs between the letters, or by two texts for one word.
 */

/** Letters that look like Latin ones, or are written for them, and that no Unicode form turns into them. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аαɑɐᴀꭺ',
  b: 'ьвβʙ',
  c: 'сϲᴄꮯ',
  d: 'ԁꭰᴅđɖ',
  e: 'еєεᴇǝə',
  f: 'ꜰғ',
  g: 'ɡɢց',
  h: 'һнηʜꮋհħ',
  i: 'іιıɪꭵ',
  j: 'јᴊɉ',
  k: 'кκᴋꮶ',
  l: 'ӏʟꮮłⅼ',
  m: 'мᴍꮇ',
  n: 'пɴոռŋ',
  o: 'оοσօᴏø',
  p: 'рρᴘꮲþ',
  q: 'ԛզ',
  r: 'гʀꮢɹր',
  s: 'ѕꜱꮪʂ',
  t: 'тτᴛꭲŧ',
  u: 'υᴜսʋ',
  v: 'ѵνᴠꮩ',
  w: 'ԝωшᴡꮃɯա',
  x: 'хχ',
  y: 'уүγʏ',
  z: 'ᴢʐ',
}
const latinOf = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin])),
)
/** Signs that are written for letters. `1` and `|` stand for two. */
const letterOfSign = new Map(
  Object.entries({ 0: 'o', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }),
)

/** The accents and vowel signs that a word can be written without. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(accents, '').normalize('NFC')

/** Letters in boxes and of flags, of which Unicode knows no plain form. */
const boxedLetters = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu
const unbox = (letter: string) => {
  const code = letter.codePointAt(0) ?? 0
  return String.fromCharCode(97 + (code - (code >= 0x1f1e6 ? 0x1f1e6 : code >= 0x1f170 ? 0x1f170 : 0x1f150)))
}

/**
 * Returns a text as it may be read: in lower case, without accents, also in Latin letters; letters and digits only, with
 * spaces between words and line feeds between sentences.
 */
function listReadings(text: string): readonly string[] {
  const plain = withoutAccents(text.replaceAll(boxedLetters, unbox))
    // A small l between capitals is read as a capital I.
    .replaceAll(/(?<=\p{Lu})l(?=\p{Lu})/gu, 'I')
  const folded = plain.toLowerCase().replaceAll('ß', 'ss')
  const latin = Array.from(folded, (letter) => latinOf.get(letter) ?? letter).join('')
  const readings = new Set([folded, latin, plain.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase()])
  for (const letter of ['i', 'l'])
    readings.add(
      // Only inside a word: "4 items" and "$5" are what they are.
      latin.replaceAll(/[a-z\d@$!|]+/g, (word) =>
        /[a-z]/.test(word)
          ? Array.from(word, (sign) => (/[1|]/.test(sign) ? letter : (letterOfSign.get(sign) ?? sign))).join(
              '',
            )
          : word,
      ),
    )
  return [...readings].flatMap((reading) => {
    // Up to three signs separate the letters or words of one expression, more end it. The patterns stay short so.
    const words = reading.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, (signs) => (signs.length <= 3 ? ' ' : '\n'))
    // Single letters with signs between them: "p. i. n."
    const joined = words.replaceAll(/(?<![^ \n])\S(?: \S(?![^ \n])){2,}/g, (letters) =>
      letters.replaceAll(' ', ''),
    )
    return joined === words ? [words] : [words, joined]
  })
}

/** Words that mean nothing else: found inside of longer words, and with other signs between their letters. */
const clearWords = [
  'password passwort passwd passcode passphrase kennwort geheimzahl geheimnummer einmalcode wachtwoord toegangscode',
  'losenord adgangskode salasana jelszo motdepasse contrasena matkhau katasandi',
  'apikey privatekey secretkey seedphrase recoveryphrase onetimecode onetimepassword onetimepin',
]
  .join(' ')
  .split(' ')

/** Phrases in Latin letters, as whole words. A space may be missing. */
const latinPhrases = [
  // English, and what other languages took from it.
  'api (?:key|token|secret|schlussel|sleutel|anahtari)s?|(?:private|secret|access|encryption|recovery|signing) keys?',
  '(?:access|auth|authentication|authorization|api|bearer|refresh|session|security|personal|id|login|bot|oauth|secret|reset|jwt|github|gitlab|slack) tokens?',
  '(?:one time|single use|login|log in|sign in|verification|security|secret|authentication|authenticator|authorization|auth|access|factor|2fa|mfa|otp|sms|backup|recovery|unlock|reset|pin|card) codes?',
  '(?:seed|recovery|mnemonic|secret|backup|pass) (?:phrase|word)s?|mnemonic|pass codes?',
  '(?:credit|debit|bank|payment) cards?|card (?:number|no|verification|details)s?|cardholder',
  'credentials?|pwd|psw|otps?|totp|hotp|cvv ?2?|cvc ?2?|secrets?|social security number|ssn',
  // German, Dutch, Scandinavian.
  '(?:sicherheits|bestatigungs|verifizierungs|freischalt|zugangs|geheim|pin|tan|sms) ?code|zugangsdaten|anmeldedaten|geheimschlussel|passworter|kennworter|kreditkarten?(?:nummer)?|kartennummer|prufziffer|wiederherstellungs(?:phrase|code)',
  '(?:verificatie|beveiligings|toegangs|bevestigings) ?code|geheime (?:code|sleutel)|creditcard|kaartnummer|inloggegevens|kodeord|passord|engangskode|kortnummer|sakerhetskod',
  // French, Spanish, Portuguese, Italian, Romanian.
  'mots? de passes?|code (?:secret|confidentiel|pin|sms|de (?:verification|securite|confirmation|validation)|a usage unique)|cle (?:api|d api|secrete|privee|d acces)|phrase (?:secrete|de recuperation)|carte (?:bancaire|bleue|de credit|de paiement)|cryptogramme|identifiants de connexion|jeton d acces',
  'contrasenas?|clave (?:secreta|privada|api|de (?:acceso|api|seguridad))|codigo (?:pin|secreto|sms|de (?:verificacion|seguridad|acceso|un solo uso|verificacao|seguranca|acesso))|frase (?:semilla|de recuperacion|de recuperacao|semente|segreta|di recupero)|tarjeta de (?:credito|debito)|numero de (?:la )?tarjeta|token de (?:acceso|acesso)',
  'senhas?|palavra passe|chave (?:secreta|privada|api|de (?:acesso|api))|cartao de (?:credito|debito)|numero do cartao',
  'parola d ordine|codice (?:pin|segreto|otp|sms|di (?:verifica|sicurezza|accesso|conferma))|chiave (?:segreta|privata|api|di accesso)|carta di (?:credito|debito)|numero (?:della |di )?carta|credenziali|parola ta|parolei',
  // Polish, Czech, Hungarian, Finnish.
  'hasl(?:o|a|em|e)|kod (?:pin|sms|weryfikacyjny|bezpieczenstwa|jednorazowy|dostepu)|klucz (?:api|prywatny|tajny)|numer karty|karty kredytowej|hesl(?:o|a|em)|bezpecnostni kod|bankkartya|tunnusluku',
  // Turkish, Vietnamese, Indonesian.
  'sifre(?:niz|nizi|yi|si|sini|ler)?|parola(?:niz|nizi|yi|si)|(?:dogrulama|guvenlik|onay|sms) kodu|kart (?:numara(?:si|niz|nizi)|no)|kredi karti|(?:gizli|ozel) anahtar',
  'mat khau|ma (?:pin|otp|xac (?:minh|thuc|nhan)|bao mat)|so the(?: tin dung)?|khoa (?:api|bi mat|rieng)|(?:kata|kode) (?:sandi|verifikasi|otp|rahasia)|nomor kartu|kartu kredit',
  // Baltic, Balkan and Nordic languages, Catalan, Basque, Celtic, Malay, Afrikaans.
  'lozink[aeu]|gesl(?:o|a|om)|slaptazod(?:is|i|zio)|salasona|lykilorð|fjalekalimi?|contrasenya|pasahitza|cyfrinair|pasfhocal|kata laluan|kata sandi|wagwoord|code d acces|puk|passkeys?|security answers?|maiden name',
  // Words with a harmless meaning too ("pin this message", "token count"), where a form asks for one.
  '(?:enter|your|type|provide|give|send|share|submit|paste|confirm|new|old|current|digits?|card|sim|bank|account|atm|debit|device|unlock|phone|ihre|deine|votre|su|tu|seu|sua|il tuo|uw|twoj) (?:(?:the|your|a|an|my|new) )?(?:[468] (?:digits? )?)?(?:pin|tan|token)s?(?! (?:on (?:the|a|your) |limit|budget|count|usage|balance|price|colou?r|icon|board|location|position|symbol|size))',
  '(?:pin|tan) (?:codes?|number|no|nummer|numero|kod|kodu|eingeben)',
]
/** The only word of a text. */
const loneWords = /^[ \n]*(?:(?:the|my|your) )?(?:pin|tan|tokens?|pass|parola|clave)[ \n]*$/

/** Phrases in other scripts. They need no end, since many of these languages write endings or no spaces. */
const otherPhrases = [
  'парол|пин ?код|пін ?код|секретн[^ ]* (?:код|ключ|слов|фраз)|код (?:подтвержден|подтверджен|проверки|безопасности|безпеки|доступа|доступу|из смс|из sms|з смс|з sms|авторизац)|одноразов[^ ]* код|(?:номер|данные|дані|реквизиты|реквізити) (?:[^ ]+ )?карт|приватн[^ ]* ключ|api ключ|ключ api|сид ?фраз|seed ?фраз|лозинк',
  'κωδικο[^ ]* (?:προσβασης|ασφαλειας|επαληθευσης|pin)|συνθηματικ|αριθμο[^ ]* καρτας',
  'كلم[ةه] (?:ال)?(?:مرور|سر)|رمز (?:ال)?(?:مرور|سري|تحقق|امان|تاكيد|دخول)|ال(?:رقم|رمز) السري|رقم (?:ال)?بطاق|مفتاح (?:ال)?(?:سري|خاص|api)|رمز عبور|گذرواژه|شماره کارت|پاس ?ورڈ',
  'סיסמ[האת]|סיסמאות|קוד (?:אימות|סודי|אבטחה|גישה|pin|חד פעמי)|מספר (?:ה)?כרטיס|כרטיס אשראי|מפתח (?:סודי|פרטי|api)',
  'पासवर्ड|कूटशब्द|पासकोड|ओटीपी|गुप्त (?:कोड|कुंजी)|सत्यापन कोड|कार्ड (?:नंबर|संख्या)|पिन (?:कोड|नंबर|दर्ज)|পাসওয়ার্ড|கடவுச்சொல்',
  '密[码碼]|口令|通行[码碼]|[验驗][证證][码碼]|校[验驗][码碼]|安全[码碼]|[动動][态態][码碼]|私[钥鑰]|密[钥鑰]|助[记記][词詞]|卡[号號]|信用卡|[银銀]行卡',
  'パスワード|暗証番号|パスコード|パスフレーズ|(?:認証|確認|セキュリティ|検証)(?:コード|番号)|ワンタイム|秘密鍵|秘密の?(?:鍵|キー)|apiキー|合言葉|カード番号|クレジットカード',
  '비밀 ?번호|패스워드|암호(?!화)|(?:인증|확인|보안) ?(?:번호|코드)|핀 ?(?:번호|코드)|(?:비밀|개인|api) ?키|(?:시드|복구) ?구문|카드 ?번호|신용 ?카드',
  'құпиясөз|գաղտնաբառ|პაროლ|нууц үг|ລະຫັດຜ່ານ|ពាក្យសម្ងាត់|စကားဝှက်|මුරපද|පාස්වර්ඩ්|పాస్వర్డ్|పాస్‌వర్డ్|ਪਾਸਵਰਡ|પાસવર્ડ|ಪಾಸ್ವರ್ಡ್|ಪಾಸ್‌ವರ್ಡ್|പാസ്‌വേഡ്|അടയാളവാക്ക്|የይለፍ ቃል|गुप्तशब्द',
  'รหัสผ่าน|รหัสลับ|รหัส(?:ยืนยัน|otp|pin)|หมายเลขบัตร',
]

/** Before a word: the start of the text or a space. */
const start = String.raw`(?<![^ \n])`
const toPattern = (phrases: readonly string[]) => withoutAccents(phrases.join('|')).replaceAll(/ \??/g, ' ?')
const clear = new RegExp(clearWords.flatMap((word) => [word, start + Array.from(word).join(' ?')]).join('|'))
const phrases = new RegExp(
  String.raw`${start}(?:(?:${toPattern(latinPhrases)})(?![^ \n])|${toPattern(otherPhrases.slice(0, 2))})|${toPattern(otherPhrases.slice(2))}`,
)

/**
 * Whether texts that are shown together, in this order, ask for a password, a code, a key, or the number of a card. The
 * time grows with their length: the caller limits it.
 */
export function asksForSecret(texts: readonly string[]): boolean {
  // A word can be split between two texts.
  if (listReadings(texts.join('\n')).some((reading) => clear.test(reading))) return true
  return texts.some(
    (text) =>
      /(?<![\p{L}\p{N}])(?:PIN|TAN)(?![\p{L}\p{N}])/u.test(text.normalize('NFKC')) ||
      listReadings(text).some((reading) => phrases.test(reading) || loneWords.test(reading)),
  )
}
