imp () 
{ 
    f=/tmp/sceptic-5/i$RANDOM$RANDOM.jsonl;
    : > $f;
    for t in "$@";
    do
        v=$(echo "$t" | sed 's/.*lives in \([A-Z][a-z]*\).*/\1/');
        echo "{\"text\":\"$t\",\"statement\":{\"subject\":\"user\",\"attribute\":\"lives in\",\"value\":\"$v\"}}" >> $f;
    done;
    m import $f $IM | head -2
}
ll () 
{ 
    m list --standing any | tail -n +2
}
