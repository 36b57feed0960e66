# An agent that says what time it is, COUNT times, one every EVERY milliseconds: `perl ticking-agent.pl '"COUNT EVERY"'`.
# It begins when it is told to, as "Begin at 1700000000000", so that all are there before the first one speaks.
# In a language that starts and waits for next to nothing, so that some hundreds of them leave the machine to what is
# measured. It keeps to a beat of its own, which no other agent's gave it: one that was held up is late once, and neither
# speaks more seldom nor falls into step with the others.
use strict;
use warnings;
use Time::HiRes qw(time sleep);

$| = 1;
my ($count, $every) = $ARGV[0] =~ /(\d+) (\d+)/;
print qq({"type":"hello","conversation":"ticking","model":"none"}\n);
my ($begin) = readline(STDIN) =~ /at (\d+)/;
my $due = $begin / 1000 + rand($every) / 1000;
for (1 .. $count) {
  my $pause = $due - time;
  sleep $pause if $pause > 0;
  printf qq({"type":"spoken","what":"text","text":"%.6f"}\n), time;
  $due += $every / 1000;
}
print qq({"type":"done","outcome":"completed"}\n);
1 while readline STDIN;
